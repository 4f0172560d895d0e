import { expect } from 'chai';
import {
  JsonView,
  type ByteSource,
  type TypeMeta,
  type ViewCodec,
} from '../../../lib/meta/json/json-view.ts';
import { ObjectScanner } from '../../../lib/meta/json/object-scanner.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { identityOf } from '../../../lib/meta/object-view.ts';

const TEXT =
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","labels":{"a":"ä"},' +
  '"uid":"u-1","resourceVersion":"42","managedFields":[{"manager":"x"}]},"spec":{"nodeName":"n1"}}';

function viewOf(
  text: string,
  { type, codec }: { type?: TypeMeta; codec?: ViewCodec } = {},
): JsonView<UnstructuredObject> {
  const scanner = new ObjectScanner();
  const bytes = Buffer.from(`before${text}behind`);
  const end = scanner.scanObject(bytes, 6, bytes.length);
  expect(scanner.plain).to.equal(true);
  const source: ByteSource = { bytes, codec };
  return new JsonView<UnstructuredObject>(source, 6, end, scanner, type);
}

describe('JsonView', () => {
  it('gives what JSON.parse of its bytes gives, and the same object again', () => {
    const view = viewOf(TEXT);
    expect(view.object).to.deep.equal(JSON.parse(TEXT));
    expect(view.object).to.equal(view.object);
  });

  it('gives the metadata without managedFields, as long as the object was not read', () => {
    const { metadata } = JSON.parse(TEXT) as { metadata: Record<string, unknown> };
    const view = viewOf(TEXT);
    delete metadata['managedFields'];
    expect(view.metadata).to.deep.equal(metadata);
    expect(view.metadata).to.not.have.property('managedFields');
    expect(view.held).to.equal(undefined);
  });

  it('is its own identity', () => {
    const view = viewOf(TEXT);
    expect(identityOf(view)).to.equal(view);
    expect(view).to.include({ name: 'web', namespace: 'shop', uid: 'u-1', resourceVersion: '42' });
    const bare = viewOf('{"spec":1}');
    expect(bare.metadata).to.deep.equal({});
    expect([bare.name, bare.namespace, bare.uid, bare.resourceVersion]).to.deep.equal(
      Array.from({ length: 4 }),
    );
  });

  it('gives items of a list the type they lack', () => {
    const type = { apiVersion: 'v1', kind: 'Pod' };
    expect(viewOf('{"metadata":{"name":"a"}}', { type }).object).to.deep.equal({
      metadata: { name: 'a' },
      apiVersion: 'v1',
      kind: 'Pod',
    });
    const own = '{"kind":"Job","apiVersion":"batch/v1"}';
    expect(viewOf(own, { type }).object).to.deep.equal(JSON.parse(own));
    const nothing = { apiVersion: 'v1', kind: undefined };
    expect(viewOf('{"a":1}', { type: nothing }).object).to.deep.equal({ a: 1 });
  });

  it('keeps a key like __proto__ a key', () => {
    const view = viewOf('{"__proto__":{"polluted":true},"metadata":{"name":"a"}}');
    expect(Object.hasOwn(view.object, '__proto__')).to.equal(true);
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
  });

  it('leaves reading to the codec of where it lies', () => {
    const asked: string[] = [];
    const answer = <R>(what: string, result: R): R => {
      asked.push(what);
      return result;
    };
    const codec: ViewCodec = {
      json: () => answer('json', Buffer.from('{}')),
      object: (view) => answer('object', { kind: `at ${view.start}` }),
      metadata: () => answer('metadata', { name: 'web', namespace: 'shop' }),
      uid: () => answer('uid', 'u-2'),
      resourceVersion: () => answer('resourceVersion', '43'),
    };
    const view = viewOf(TEXT);
    const length = view.sizeBytes;
    view.moveTo({ bytes: Buffer.alloc(0), codec }, 100);
    expect(identityOf(view)).to.include({ name: 'web', uid: 'u-1', resourceVersion: '42' });
    view.forgetIdentity();
    expect(view.object).to.deep.equal({ kind: 'at 100' });
    expect(view.metadata).to.deep.equal({ name: 'web', namespace: 'shop' });
    expect(identityOf(view)).to.include({ uid: 'u-2', resourceVersion: '43' });
    expect(view.json.toString()).to.equal('{}');
    expect([view.name, view.namespace]).to.deep.equal(['web', 'shop']);
    expect(asked).to.deep.equal([
      'object',
      'metadata',
      'uid',
      'resourceVersion',
      'json',
      'metadata',
      'metadata',
    ]);
    expect(view.sizeBytes).to.equal(length);
  });

  it('gives its JSON, copying nothing', () => {
    const view = viewOf(TEXT);
    expect(view.json.toString()).to.equal(TEXT);
    expect(view.json.buffer).to.equal(view.source.bytes.buffer);
  });

  it('keeps a given object, and releases it', () => {
    const view = viewOf(TEXT);
    const object = { kind: 'Pod', metadata: { name: 'held' } };
    view.hold(object);
    expect(view.object).to.equal(object);
    expect(view.metadata).to.equal(object.metadata);
    view.hold(undefined);
    expect(view.object).to.deep.equal(JSON.parse(TEXT));
  });
});
