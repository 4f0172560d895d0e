import { expect } from 'chai';
import {
  goFloat,
  goNumber,
  isInt64,
  toInt64,
} from '../../../../lib/server/registry/rules/go-number.ts';

describe('a number of JSON in a message', () => {
  it('has all digits if it is an integer of 64 bits', () => {
    for (const [value, text] of [
      [0, '0'],
      [-0, '0'],
      [1_000_000, '1000000'],
      [-(2 ** 63), '-9223372036854775808'],
      [2 ** 53, '9007199254740992'],
      // The nearest double of the largest integer.
      [2 ** 63, '9223372036854775807'],
    ] as const) {
      expect(goNumber(value)).to.equal(text);
      expect(isInt64(value), text).to.equal(true);
    }
  });

  it('has an exponent below a ten-thousandth and from a million on, if it is none', () => {
    for (const [value, text] of [
      [1.5, '1.5'],
      [0.0001, '0.0001'],
      [0.000_01, '1e-05'],
      [-0.000_012, '-1.2e-05'],
      [999_999.5, '999999.5'],
      [123_456_789.5, '1.234567895e+08'],
      [-1_234_567.25, '-1.23456725e+06'],
      [1e20, '1e+20'],
      [1.5e300, '1.5e+300'],
    ] as const) {
      expect(goNumber(value)).to.equal(text);
      expect(isInt64(value), text).to.equal(false);
    }
  });
});

describe('a limit in a message', () => {
  it('has an exponent from a million on, also if it is whole', () => {
    expect([goFloat(5), goFloat(999_999), goFloat(1e6)]).to.deep.equal(['5', '999999', '1e+06']);
  });

  it('loses its fraction where it is one for integers, and is the least one beyond 64 bits', () => {
    expect([toInt64(-1.5), toInt64(2.9)]).to.deep.equal([-1, 2]);
    expect([1e21, -1e30, 2 ** 63].map(toInt64)).to.deep.equal(Array(3).fill(-(2 ** 63)));
  });
});
