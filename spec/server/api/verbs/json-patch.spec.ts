import { expect } from 'chai';
import { applyJsonPatch, parseJsonPatch } from '../../../../lib/server/api/verbs/json-patch.ts';
import type { Json } from '../../../../lib/server/api/http/json-tree.ts';

function patched(target: Json, ...operations: Json[]): Json {
  return applyJsonPatch(target, parseJsonPatch(operations));
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
}

describe('JSON patch', () => {
  const rows: readonly [title: string, target: Json, operation: Json, expected: Json][] = [
    ['adds a member', { a: 1 }, { op: 'add', path: '/b', value: 2 }, { a: 1, b: 2 }],
    [
      'replaces a member by adding it',
      { a: 1 },
      { op: 'add', path: '/a', value: null },
      { a: null },
    ],
    ['inserts into a list', { a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2, 3] }],
    ['appends with -', { a: [1] }, { op: 'add', path: '/a/-', value: 2 }, { a: [1, 2] }],
    ['appends at the length', { a: [1] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2] }],
    ['removes a member', { a: 1, b: 2 }, { op: 'remove', path: '/a' }, { b: 2 }],
    ['removes an item', { a: [1, 2] }, { op: 'remove', path: '/a/0' }, { a: [2] }],
    ['replaces an item', { a: [1, 2] }, { op: 'replace', path: '/a/1', value: 3 }, { a: [1, 3] }],
    ['replaces the document', { a: 1 }, { op: 'replace', path: '', value: 5 }, 5],
    ['moves', { a: { b: 1 } }, { op: 'move', from: '/a/b', path: '/c' }, { a: {}, c: 1 }],
    ['copies', { a: [1] }, { op: 'copy', from: '/a', path: '/b' }, { a: [1], b: [1] }],
    [
      'passes a test',
      { a: { b: [1, null] } },
      { op: 'test', path: '/a', value: { b: [1, null] } },
      { a: { b: [1, null] } },
    ],
    ['unescapes ~0 and ~1', { 'a/b': 1, '~1': 2 }, { op: 'remove', path: '/a~1b' }, { '~1': 2 }],
    ['finds the key ~1', { '~1': 2 }, { op: 'replace', path: '/~01', value: 3 }, { '~1': 3 }],
    ['finds the empty key', { '': 1 }, { op: 'replace', path: '/', value: 2 }, { '': 2 }],
  ];
  for (const [title, target, operation, expected] of rows) {
    it(title, () => {
      const before = structuredClone(target);
      expect(patched(target, operation)).to.deep.equal(expected);
      expect(target).to.deep.equal(before);
    });
  }

  it('refuses paths that do not exist, and tests that fail, with 422', () => {
    const target = { a: [1], b: { c: 1 } };
    const operations: Json[] = [
      { op: 'remove', path: '/x' },
      { op: 'replace', path: '/x', value: 1 },
      { op: 'add', path: '/x/y', value: 1 },
      { op: 'add', path: '/a/2', value: 1 },
      { op: 'add', path: '/a/01', value: 1 },
      { op: 'add', path: '/a/-1', value: 1 },
      { op: 'remove', path: '/a/-' },
      { op: 'remove', path: '/b/c/d' },
      { op: 'remove', path: 'a' },
      { op: 'remove', path: '' },
      { op: 'move', from: '/b', path: '/b/c' },
      { op: 'copy', from: '/x', path: '/y' },
      { op: 'test', path: '/b', value: { c: 2 } },
      { op: 'test', path: '/constructor', value: 1 },
      { op: 'add', path: '/__proto__/polluted', value: 1 },
    ];
    for (const operation of operations) {
      expect(
        codeOf(() => patched(target, operation)),
        JSON.stringify(operation),
      ).to.equal('INVALID');
    }
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });

  it('refuses malformed documents with 400', () => {
    for (const document of [
      {},
      'a',
      [1],
      [{ op: 'add', path: '/a' }],
      [{ op: 'jump', path: '/a' }],
      [{ op: 'move', path: '/a' }],
      [{ op: 'remove' }],
    ]) {
      expect(
        codeOf(() => parseJsonPatch(document)),
        JSON.stringify(document),
      ).to.equal('BAD_REQUEST');
    }
  });

  it('bounds the number of operations and what copies add up to', () => {
    const operation = { op: 'test', path: '/a', value: 1 };
    const many = (count: number): Json => Array.from({ length: count }, () => operation);
    expect(codeOf(() => patched({ a: 1 }, ...(many(10_000) as Json[])))).to.equal('accepted');
    expect(codeOf(() => parseJsonPatch(many(10_001)))).to.equal('REQUEST_ENTITY_TOO_LARGE');
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(codeOf(() => patched({ a: ['x'.repeat(1000)] }, ...doubling))).to.equal(
      'REQUEST_ENTITY_TOO_LARGE',
    );
  });
});
