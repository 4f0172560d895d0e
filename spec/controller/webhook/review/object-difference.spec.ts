import { expect } from 'chai';
import { objectDifference } from '../../../../lib/controller/webhook/review/object-difference.ts';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import type { Json } from '../../../../lib/server/http/body/json-tree.ts';
import { applyJsonPatch, parseJsonPatch } from '../../../../lib/server/patch/json-patch.ts';

/** The patch, applied as the embedded server applies it. */
function patched(before: unknown, after: unknown): Json {
  const patch = JSON.parse(JSON.stringify(objectDifference(before, after))) as Json;
  return applyJsonPatch(structuredClone(before) as Json, parseJsonPatch(patch));
}

const NAMES = ['a', 'b', 'a/b', 'a~b', '~1', '', '__proto__', '0'];
const VALUES = [null, true, 0, -1.5, '', 'text', 1e300];

function randomValue(random: () => number, depth: number): unknown {
  const pick = Math.floor(random() * (depth === 0 ? 1 : 3));
  if (pick === 0) return VALUES[Math.floor(random() * VALUES.length)];
  const size = Math.floor(random() * 4);
  if (pick === 1) return Array.from({ length: size }, () => randomValue(random, depth - 1));
  return randomFields(random, depth - 1);
}

function randomFields(random: () => number, depth: number): unknown {
  const entries = NAMES.filter(() => random() < 0.4).map((name) => [
    name,
    randomValue(random, depth),
  ]);
  return Object.fromEntries(entries);
}

describe('objectDifference', () => {
  it('makes the second object of the first one, for 3,000 pairs of objects', () => {
    const random = seededRandom(7);
    for (let pair = 0; pair < 3_000; pair += 1) {
      const [before, after] = [randomFields(random, 3), randomFields(random, 3)];
      expect(patched(before, after), JSON.stringify([before, after])).to.deep.equal(after);
    }
  });

  it('has no operation for equal objects', () => {
    const object = { a: [{ b: [1, null] }], c: {} };
    expect(objectDifference(object, structuredClone(object))).to.deep.equal([]);
  });

  it('leaves alone what is beside a change, so that a large number keeps its digits', () => {
    const text = '{"spec":{"large":9007199254740993,"items":[{"at":1},{"at":2}]}}';
    const before = JSON.parse(text) as { spec: { items: { at: number }[] } };
    const after = structuredClone(before);
    after.spec.items[1]!.at = 3;
    expect(objectDifference(before, after)).to.deep.equal([
      { op: 'replace', path: '/spec/items/1/at', value: 3 },
    ]);
  });

  const rows: readonly (readonly [
    title: string,
    before: unknown,
    after: unknown,
    ops: object[],
  ])[] = [
    ['an item before others', [1, 2], [0, 1, 2], [{ op: 'add', path: '/0', value: 0 }]],
    ['an item after others', [1], [1, 2], [{ op: 'add', path: '/1', value: 2 }]],
    ['an item that goes', [1, 2, 3], [1, 3], [{ op: 'remove', path: '/1' }]],
    [
      'a field with a slash and a tilde',
      {},
      { 'a/b~c': 1 },
      [{ op: 'add', path: '/a~1b~0c', value: 1 }],
    ],
    ['a field that goes', { a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
    [
      'a list in place of an object',
      { a: {} },
      { a: [] },
      [{ op: 'replace', path: '/a', value: [] }],
    ],
  ];
  for (const [title, before, after, operations] of rows) {
    it(`has one operation for ${title}`, () => {
      expect(objectDifference(before, after)).to.deep.equal(operations);
    });
  }
});
