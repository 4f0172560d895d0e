import { expect } from 'chai';
import { canonical, normalise, withoutManagedFields } from './normalise.ts';

const facts = { namespace: 'space-00001', nowMs: Date.parse('2026-05-01T12:00:00Z') };
const uid = '0a1b2c3d-0000-4000-8000-0123456789ab';

describe('the normalised body', () => {
  it('masks uid, version and the times of the run', () => {
    const metadata = { uid, resourceVersion: '7', creationTimestamp: '2026-05-01T11:59:00Z' };
    expect(normalise({ metadata }, facts)).to.deep.equal({
      metadata: { uid: '{uid}', resourceVersion: '{rv}', creationTimestamp: '{time}' },
    });
  });

  it('keeps times, uids and versions that a client made up', () => {
    const body = {
      when: '2024-05-01T10:00:00Z',
      uid: '00000000-1111-2222-3333-444444444444',
      resourceVersion: '0',
    };
    expect(normalise(body, facts)).to.deep.equal(body);
  });

  it('masks a generated name wherever it stands', () => {
    const body = {
      metadata: { name: 'gen-x7k2p', generateName: 'gen-' },
      message: 'gen-x7k2p is new',
    };
    expect(normalise(body, facts)).to.deep.equal({
      metadata: { name: 'gen-{random}', generateName: 'gen-' },
      message: 'gen-{random} is new',
    });
  });

  it('masks allocated addresses and ports, continue tokens, ages and the namespace', () => {
    const body = {
      clusterIP: '10.0.12.7',
      nodePort: 31_234,
      port: 31_234,
      continue: 'abc',
      cells: ['one', '3m4s', '80:31234/TCP'],
      message: 'no such thing in space-00001',
    };
    expect(normalise(body, facts)).to.deep.equal({
      clusterIP: '{address}',
      nodePort: '{port}',
      port: 31_234,
      continue: '{continue}',
      cells: ['one', '{age}', '80:{port}/TCP'],
      message: 'no such thing in {ns}',
    });
  });

  it('keeps messages, except for the numbers of versions in them', () => {
    const message = (text: string): unknown => normalise({ message: text }, facts);
    expect(message('too old resource version: 5 (123)')).to.deep.equal({
      message: 'too old resource version: {rv} ({rv})',
    });
    const record =
      'the ResourceVersion in the precondition (1) is not the ResourceVersion in record';
    expect(message(`${record} (23).`)).to.deep.equal({
      message: `${record.replace('(1)', '({rv})')} ({rv}).`,
    });
    expect(message('must be at least 30')).to.deep.equal({ message: 'must be at least 30' });
  });

  it('masks versions in objects that a message quotes', () => {
    const message = 'patch: Invalid value: "{\\"metadata\\":{\\"resourceVersion\\":\\"41\\"}}"';
    expect(normalise({ message }, facts)).to.deep.equal({ message: message.replace('41', '{rv}') });
  });

  it('shortens field sets, in any order of fields', () => {
    const fieldsV1 = {
      'f:metadata': { 'f:labels': { 'f:b': {}, '.': {}, 'f:a': {} } },
      'f:data': {},
    };
    expect(normalise({ fieldsV1 }, facts)).to.deep.equal({
      fieldsV1: 'data metadata(labels(. a b))',
    });
  });

  it('is a digest when it is large, in any order of members', () => {
    const text = 'x'.repeat(30_000);
    const one = normalise({ a: text, b: 1 }, facts);
    expect(one).to.have.keys('sha256');
    expect(normalise({ b: 1, a: text }, facts)).to.deep.equal(one);
    expect(normalise({ b: 2, a: text }, facts)).not.to.deep.equal(one);
  });
});

describe('withoutManagedFields', () => {
  it('leaves them out at every depth', () => {
    const items = [{ metadata: { name: 'a', managedFields: [1] } }];
    expect(canonical(withoutManagedFields({ items }))).to.equal(
      '{"items":[{"metadata":{"name":"a"}}]}',
    );
  });
});
