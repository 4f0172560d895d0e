import { expect } from 'chai';
import { fieldProblems } from '../../../lib/meta/fields/check-fields.ts';
import { compareFields } from '../../../lib/meta/fields/compare-fields.ts';
import { emptyObject } from '../../../lib/meta/fields/empty-object.ts';
import { DEDUCED, messageSchema, type FieldSchema } from '../../../lib/meta/fields/field-schema.ts';
import { fieldSetOf } from '../../../lib/meta/fields/field-set-of.ts';
import { mergeFields } from '../../../lib/meta/fields/merge-fields.ts';
import { removeFields, withNamedFields } from '../../../lib/meta/fields/remove-fields.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';

function schemaOf(apiVersion: string, kind: string): FieldSchema {
  const message = builtInTypes().kind(apiVersion, kind);
  if (message === undefined) throw new TypeError(`there is no kind ${kind}`);
  return messageSchema(message);
}

const pods = schemaOf('v1', 'Pod');
const services = schemaOf('v1', 'Service');

function podOf(...containers: object[]): object {
  return { spec: { containers } };
}

describe('fields of values with a schema', () => {
  it('name the items of a list by its keys, with declared defaults', () => {
    const service = { spec: { ports: [{ port: 80 }, { port: 53, protocol: 'UDP' }] } };
    expect(fieldSetOf(services, service)).to.deep.equal({
      'f:spec': {
        'f:ports': {
          'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
          'k:{"port":53,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
        },
      },
    });
  });

  it('name the items of a set by their values, and an atomic list as one', () => {
    const object = { metadata: { finalizers: ['a/b'] }, spec: { externalIPs: ['1.2.3.4'] } };
    expect(fieldSetOf(services, object)).to.deep.equal({
      'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } },
      'f:spec': { 'f:externalIPs': {} },
    });
  });

  it('have entries of maps by themselves, and empty maps', () => {
    const object = { metadata: { labels: { app: 'x' }, annotations: {} } };
    expect(fieldSetOf(pods, object)).to.deep.equal({
      'f:metadata': { 'f:labels': { 'f:app': {} }, 'f:annotations': {} },
    });
  });

  it('show what was added, modified and removed', () => {
    const before = podOf({ name: 'a', image: 'one' }, { name: 'b', image: 'one' });
    const after = podOf({ name: 'a', image: 'two' }, { name: 'c' });
    const spec = (containers: object): object => ({ 'f:spec': { 'f:containers': containers } });
    expect(compareFields(pods, before, after)).to.deep.equal({
      modified: spec({ 'k:{"name":"a"}': { 'f:image': {} } }),
      removed: spec({ 'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:image': {} } }),
      added: spec({ 'k:{"name":"c"}': { '.': {}, 'f:name': {} } }),
    });
    expect(compareFields(pods, before, structuredClone(before))).to.deep.equal({
      added: {},
      modified: {},
      removed: {},
    });
  });

  it('count items with the same key as one value', () => {
    const twice = podOf({ name: 'a', image: 'x' }, { name: 'a', image: 'y' });
    expect(fieldSetOf(pods, twice)).to.deep.equal({
      'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } },
    });
    expect(compareFields(pods, podOf(), twice).added).to.deep.equal({
      'f:spec': { 'f:containers': { 'k:{"name":"a"}': {} } },
    });
  });

  it('follow the values where there is no schema', () => {
    const { modified, removed, added } = compareFields(
      DEDUCED,
      { spec: { a: 1, list: [1] } },
      { spec: { a: { b: 2 }, list: [2] } },
    );
    expect(modified).to.deep.equal({ 'f:spec': { 'f:a': {}, 'f:list': {} } });
    expect({ removed, added }).to.deep.equal({
      removed: {},
      added: { 'f:spec': { 'f:a': { 'f:b': {} } } },
    });
  });

  it('are refused when an item has no key', () => {
    expect(() => fieldSetOf(pods, podOf({ image: 'x' })))
      .to.throw('omits all key fields ["name"]')
      .with.property('code', 'FIELD_SCHEMA');
  });
});

describe('mergeFields', () => {
  it('keeps live items where they are, and brings shared ones into the applied order', () => {
    const names = (...list: string[]): object => podOf(...list.map((name) => ({ name })));
    const merged = (live: string[], applied: string[]): string[] => {
      const result = mergeFields(pods, names(...live), names(...applied)) as {
        spec: { containers: { name: string }[] };
      };
      return result.spec.containers.map(({ name }) => name);
    };
    expect(merged(['a', 'b', 'c'], ['c', 'a'])).to.deep.equal(['b', 'c', 'a']);
    expect(merged(['a', 'b'], ['x', 'b'])).to.deep.equal(['a', 'x', 'b']);
    expect(merged(['a', 'b', 'c'], ['b', 'd'])).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(merged([], ['b', 'a'])).to.deep.equal(['b', 'a']);
  });

  it('merges items field by field, and modifies neither side', () => {
    const live = Object.freeze(podOf(Object.freeze({ name: 'a', image: 'x' })));
    const result = mergeFields(pods, live, podOf({ name: 'a', command: ['run'] }));
    expect(result).to.deep.equal(podOf({ name: 'a', image: 'x', command: ['run'] }));
  });

  it('refuses two applied items with the same key', () => {
    expect(() => mergeFields(pods, podOf(), podOf({ name: 'a' }, { name: 'a' })))
      .to.throw('duplicate entries for key [name="a"]')
      .with.property('code', 'FIELD_SCHEMA');
  });

  it('merges a member with the name __proto__ as any other', () => {
    const applied: unknown = JSON.parse('{"data":{"__proto__":"x"}}');
    const result = mergeFields(schemaOf('v1', 'ConfigMap'), { data: { a: 'b' } }, applied);
    expect(JSON.stringify(result)).to.equal('{"data":{"a":"b","__proto__":"x"}}');
  });
});

describe('removeFields', () => {
  it('removes entries, items and fields', () => {
    const pod = {
      metadata: { labels: { a: '1', b: '2' } },
      ...podOf({ name: 'x', image: 'i' }, { name: 'y' }),
    };
    const fields = {
      'f:metadata': { 'f:labels': { 'f:a': {} } },
      'f:spec': { 'f:containers': { 'k:{"name":"x"}': { 'f:image': {} }, 'k:{"name":"y"}': {} } },
    };
    expect(removeFields(pods, pod, fields)).to.deep.equal({
      metadata: { labels: { b: '2' } },
      ...podOf({ name: 'x' }),
    });
  });

  it('leaves null where nothing is left', () => {
    const fields = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };
    expect(removeFields(pods, { metadata: { labels: { a: '1' } } }, fields)).to.deep.equal({
      metadata: { labels: null },
    });
  });

  it('adds declared fields on the way to a set, and no items of lists', () => {
    const set = { 'f:spec': { 'f:containers': { 'k:{"name":"x"}': { 'f:image': {} } } } };
    expect(withNamedFields(set, pods)).to.deep.equal({
      'f:spec': {
        '.': {},
        'f:containers': { '.': {}, 'k:{"name":"x"}': { 'f:image': {} } },
      },
    });
  });
});

describe('fieldProblems', () => {
  it('names fields that are not declared, values of another type and repeated keys', () => {
    const problemsOf = (spec: unknown): string[] => fieldProblems(pods, { spec });
    expect(problemsOf({ contaners: [] })).to.deep.equal([
      '.spec.contaners: field not declared in schema',
    ]);
    expect(problemsOf({ nodeName: 1, priority: 'x', hostPID: 'yes' })).to.deep.equal([
      '.spec.nodeName: expected string, got &value.valueUnstructured{Value:1}',
      '.spec.priority: expected numeric (int or float), got string',
      '.spec.hostPID: expected boolean, got &{yes}',
    ]);
    expect(problemsOf({ containers: [{ name: 'a' }, { name: 'a' }] })).to.deep.equal([
      '.spec.containers: duplicate entries for key [name="a"]',
    ]);
    expect(problemsOf({ containers: {} })[0]).to.match(/^\.spec\.containers: expected list, got /);
  });
});

describe('emptyObject', () => {
  it('has the fields that Go writes although they were not set', () => {
    const deployment = builtInTypes().kind('apps/v1', 'Deployment')!;
    expect(emptyObject(deployment)).to.deep.equal({
      metadata: {},
      spec: {
        selector: null,
        template: { metadata: {}, spec: { containers: null } },
        strategy: {},
      },
      status: {},
    });
  });
});
