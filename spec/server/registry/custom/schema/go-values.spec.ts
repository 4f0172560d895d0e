import { expect } from 'chai';
import { goNumber, goText } from '../../../../../lib/server/registry/custom/schema/go-values.ts';

describe('goNumber', () => {
  for (const [value, text] of [
    [0, '0'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.000_01, '1e-05'],
    [-0.000_01, '-1e-05'],
    [2 ** 63, '9223372036854776000'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [1.5e300, '1.5e+300'],
  ] as const) {
    it(`prints ${text}`, () => {
      expect(goNumber(value)).to.equal(text);
    });
  }
});

describe('goText', () => {
  it('prints lists, maps in the order of their names, and nothing', () => {
    expect(goText(['a', 1e21, null])).to.equal('[a 1e+21 <nil>]');
    expect(goText({ b: true, a: [{}] })).to.equal('map[a:[map[]] b:true]');
    expect(goText(undefined)).to.equal('<nil>');
  });
});
