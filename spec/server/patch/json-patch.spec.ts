import { expect } from 'chai';
import type { ApiError } from '../../../lib/meta/failure/api-error.ts';
import { applyJsonPatch, parseJsonPatch } from '../../../lib/server/patch/json-patch.ts';
import { MALFORMED, OUTCOMES, PATCHED, type Patched } from '../api/verbs/recorded-json-patches.ts';
import type { Json } from '../../../lib/server/http/body/json-tree.ts';

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

/** Recorded at kube-apiserver 1.36.3, for every patch that cannot be applied. */
const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server rejected our request due to an error in our request',
  reason: 'Invalid',
  details: {},
  code: 422,
};

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
    ['replaces the document', { a: 1 }, { op: 'replace', path: '', value: [5] }, [5]],
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

  for (const [operation, outcome] of OUTCOMES) {
    it(`does with ${JSON.stringify(operation)} as kube-apiserver does`, () => {
      let found: unknown;
      try {
        const { metadata, data } = patched(
          structuredClone(PATCHED) as unknown as Json,
          operation,
        ) as unknown as Patched;
        found = { finalizers: metadata.finalizers, labels: metadata.labels, data };
      } catch (error) {
        found = (error as ApiError).status;
      }
      const { labels, finalizers } = PATCHED.metadata;
      const expected =
        outcome === 422 ? REFUSED : { labels, finalizers, data: PATCHED.data, ...outcome };
      expect(found).to.deep.equal(expected);
    });
  }

  it('refuses malformed documents with the words of kube-apiserver', () => {
    for (const [document, message] of MALFORMED) {
      expect(() => parseJsonPatch(document), JSON.stringify(document))
        .to.throw(message)
        .with.property('code', 'BAD_REQUEST');
    }
  });

  it('takes null and an empty list as no operation', () => {
    for (const document of [null, []]) {
      expect(applyJsonPatch({ a: 1 }, parseJsonPatch(document))).to.deep.equal({ a: 1 });
    }
  });

  it('does not reach the prototype of an object', () => {
    const target = { a: [1] };
    for (const operation of [
      { op: 'test', path: '/constructor', value: 1 },
      { op: 'add', path: '/__proto__/polluted', value: 1 },
      { op: 'remove', path: '/toString' },
    ]) {
      expect(
        codeOf(() => patched(target, operation)),
        JSON.stringify(operation),
      ).to.equal('INVALID');
    }
    expect(({} as { polluted?: number }).polluted).to.equal(undefined);
  });

  it('refuses what nests deeper than a body may, also by copies into themselves', () => {
    const doubled = (times: number): Json[] =>
      Array.from({ length: times }, (_, index) => {
        return { op: 'copy', from: '/a', path: `/a${'/a'.repeat(2 ** index)}` };
      });
    expect(() => patched({ a: {} }, ...doubled(9)), '512 levels').to.not.throw();
    for (const times of [10, 14, 17]) {
      let status: unknown;
      try {
        patched({ a: {} }, ...doubled(times));
      } catch (error) {
        ({ status } = error as ApiError);
      }
      expect(status, `2 ** ${times} levels`).to.deep.equal(REFUSED);
    }
    const chain = JSON.parse(`${'{"a":'.repeat(900)}{}${'}'.repeat(900)}`) as Json;
    const adds = [0, 1].map((count) => {
      return { op: 'add', path: `/a${'/a'.repeat(900 * count)}`, value: chain };
    });
    expect(codeOf(() => patched({}, ...adds))).to.equal('INVALID');
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
