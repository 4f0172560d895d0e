import { expect } from 'chai';
import { jsonEqual } from '../../lib/meta/json-value.ts';

/** Values that are all different. */
const DIFFERENT: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  '',
  '0',
  [],
  [null],
  [0],
  [0, 0],
  [[]],
  [{}],
  {},
  { a: null },
  { a: 0 },
  { a: {} },
  { b: 0 },
  { a: 0, b: 0 },
  { a: { b: [1, { c: 2 }] } },
  { 0: 0 },
  { length: 0 },
];

describe('jsonEqual', () => {
  it('says no for two different values, either way around', () => {
    for (const [at, left] of DIFFERENT.entries()) {
      for (const [other, right] of DIFFERENT.entries()) {
        const name = `${JSON.stringify(left)} and ${JSON.stringify(right)}`;
        expect(jsonEqual(left, structuredClone(right)), name).to.equal(at === other);
      }
    }
  });

  it('takes no account of the order of members, and of members that are undefined', () => {
    expect(jsonEqual({ a: 1, b: [2] }, { b: [2], a: 1 })).to.equal(true);
    expect(jsonEqual({ a: 1, b: undefined }, { a: 1 })).to.equal(true);
    expect(jsonEqual({ a: 1 }, { a: 1, b: undefined })).to.equal(true);
    expect(jsonEqual({ a: undefined }, { b: undefined })).to.equal(true);
    expect(jsonEqual({ a: undefined, c: 1 }, { b: 1, c: 1 })).to.equal(false);
    expect(jsonEqual({ a: 1, c: 1 }, { b: undefined, c: 1 })).to.equal(false);
  });

  it('looks at own members only', () => {
    expect(jsonEqual({ toString: Object }, {})).to.equal(false);
    expect(jsonEqual({ constructor: Object }, { a: 1 })).to.equal(false);
  });
});
