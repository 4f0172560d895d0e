import { expect } from 'chai';
import { isApiError } from '../../../../lib/meta/failures.ts';
import type { JsonObject } from '../../../../lib/server/api/http/json-tree.ts';
import { applyStrategicMergePatch } from '../../../../lib/server/api/verbs/strategic-merge-patch.ts';

function patched(target: JsonObject, patch: JsonObject, kind: string = 'Pod'): JsonObject {
  const before = structuredClone(target);
  const result = applyStrategicMergePatch(target, patch, kind);
  expect(target).to.deep.equal(before);
  return result;
}

const CONTAINERS = {
  containers: [
    { name: 'web', image: 'web:1', env: [{ name: 'A', value: '1' }] },
    { name: 'log', image: 'log:1' },
  ],
};

describe('strategic merge patch', () => {
  it('merges objects and removes nulls like a merge patch', () => {
    expect(patched({ a: { b: 1, c: 2 }, d: 1 }, { a: { b: 3, c: null }, d: null })).to.deep.equal({
      a: { b: 3 },
    });
  });

  it('merges known lists by key, deeply, and appends new items', () => {
    const patch = {
      containers: [
        { name: 'log', image: 'log:2' },
        { name: 'web', env: [{ name: 'B', value: '2' }] },
        { name: 'new', image: 'new:1' },
      ],
    };
    expect(patched(CONTAINERS, patch)).to.deep.equal({
      containers: [
        {
          name: 'web',
          image: 'web:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
        { name: 'log', image: 'log:2' },
        { name: 'new', image: 'new:1' },
      ],
    });
  });

  it('replaces other lists', () => {
    expect(patched({ args: ['a', 'b'] }, { args: ['c'] })).to.deep.equal({ args: ['c'] });
    const tolerations = { tolerations: [{ key: 'a' }] };
    expect(patched(tolerations, { tolerations: [{ key: 'b' }] })).to.deep.equal({
      tolerations: [{ key: 'b' }],
    });
  });

  it('joins lists of plain values without repeating one', () => {
    expect(patched({ finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] })).to.deep.equal({
      finalizers: ['a', 'b', 'c'],
    });
  });

  it('deletes an item, or all others, by directive', () => {
    const drop = { containers: [{ name: 'web', $patch: 'delete' }] };
    expect(patched(CONTAINERS, drop)).to.deep.equal({
      containers: [{ name: 'log', image: 'log:1' }],
    });
    const only = { containers: [{ $patch: 'replace' }, { name: 'one', image: 'one:1' }] };
    expect(patched(CONTAINERS, only)).to.deep.equal({
      containers: [{ name: 'one', image: 'one:1' }],
    });
  });

  it('replaces or empties an object by directive', () => {
    expect(patched({ a: { b: 1 } }, { a: { $patch: 'replace', c: 2 } })).to.deep.equal({
      a: { c: 2 },
    });
    expect(patched({ a: { b: 1 } }, { a: { $patch: 'delete' } })).to.deep.equal({ a: {} });
  });

  it('keeps only the retained keys', () => {
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    const target = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    expect(patched(target, patch)).to.deep.equal({ strategy: { type: 'Recreate' } });
  });

  it('deletes plain values from a list', () => {
    const patch = { '$deleteFromPrimitiveList/finalizers': ['a'] };
    expect(patched({ finalizers: ['a', 'b'] }, patch)).to.deep.equal({ finalizers: ['b'] });
  });

  it('puts items into the order the patch says, others before the one they stood before', () => {
    const target = { env: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] };
    const patch = {
      '$setElementOrder/env': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
      env: [{ name: 'c' }],
    };
    expect(patched(target, patch)).to.deep.equal({
      env: [{ name: 'x' }, { name: 'b' }, { name: 'c' }, { name: 'a' }],
    });
  });

  it('distinguishes the ports of a Service from those of a container', () => {
    const service = { ports: [{ port: 80, targetPort: 1 }] };
    expect(patched(service, { ports: [{ port: 80, targetPort: 2 }] }, 'Service')).to.deep.equal({
      ports: [{ port: 80, targetPort: 2 }],
    });
    const container = { ports: [{ containerPort: 80, name: 'a' }] };
    expect(patched(container, { ports: [{ containerPort: 80, name: 'b' }] })).to.deep.equal({
      ports: [{ containerPort: 80, name: 'b' }],
    });
  });

  it('leaves no directive behind where there is nothing to merge with', () => {
    const patch = {
      spec: { $patch: 'replace', containers: [{ name: 'a', $patch: 'replace' }], b: null },
    };
    expect(JSON.stringify(patched({}, patch))).to.equal('{"spec":{"containers":[{"name":"a"}]}}');
  });

  it('refuses unknown directives and items without their key', () => {
    expect(() => patched({}, { $patch: 'explode' }))
      .to.throw('unknown $patch directive')
      .and.satisfy(isApiError);
    expect(() => patched(CONTAINERS, { containers: [{ image: 'x' }] })).to.throw('lacks name');
    expect(() => patched(CONTAINERS, { containers: ['x'] })).to.throw('is not an object');
  });

  it('merges long lists with a few looks at each name', () => {
    let looks = 0;
    const items = (value: string): JsonObject[] =>
      Array.from({ length: 50_000 }, (_, index) => ({
        get name() {
          looks += 1;
          return `n${index}`;
        },
        value,
      }));
    const order = items('').map(({ name }) => ({ name: name! }));
    const result = patched(
      { env: items('1') },
      { env: items('2'), '$setElementOrder/env': order.toReversed() },
    );
    expect((result['env'] as JsonObject[])[0]).to.deep.equal({ name: 'n49999', value: '2' });
    // A search for each of them would be more than a billion.
    expect(looks).to.be.within(100_000, 2_000_000);
  });
});
