import { expect } from 'chai';
import { applyMergePatch } from '../../../lib/server/patch/strategic-merge-patch.ts';
import type { Json } from '../../../lib/server/http/body/json-tree.ts';

describe('merge patch', () => {
  const rows: readonly [target: Json, patch: Json, expected: Json][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b' }, { b: null }, { a: 'b' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: { b: 'c', d: 'e' } }, { a: { b: 'd', d: null } }, { a: { b: 'd' } }],
    [{ a: 'text' }, { a: { b: { c: null } } }, { a: { b: {} } }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  ];
  for (const [target, patch, expected] of rows) {
    it(`turns ${JSON.stringify(target)} with ${JSON.stringify(patch)} into ${JSON.stringify(expected)}`, () => {
      const before = structuredClone(target);
      expect(applyMergePatch(target, patch)).to.deep.equal(expected);
      expect(target).to.deep.equal(before);
    });
  }

  it('sets keys like __proto__ as data and changes no prototype', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as Json;
    const result = applyMergePatch(JSON.parse('{"__proto__":{"kept":2}}') as Json, patch) as object;
    expect(JSON.stringify(result)).to.equal(
      '{"__proto__":{"kept":2,"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });

  it('keeps such keys of the target that the patch does not name', () => {
    const target = JSON.parse('{"__proto__":{"kept":2}}') as Json;
    expect(JSON.stringify(applyMergePatch(target, { a: 1 }))).to.equal(
      '{"__proto__":{"kept":2},"a":1}',
    );
  });

  it('shares no part with the patch', () => {
    const patch = { a: [{ b: 1 }] };
    (applyMergePatch({}, patch) as typeof patch).a[0]!.b = 2;
    expect(patch.a[0]!.b).to.equal(1);
  });
});
