import { expect } from 'chai';
import { VALUE_KINDS } from '../../../../lib/server/registry/typed/value-readers.ts';

describe('the value of a field', () => {
  it('is the zero value of its Go type where a list has null', () => {
    const zeros = Object.entries(VALUE_KINDS).map(([type, { zero }]) => [type, zero]);
    expect(Object.fromEntries(zeros)).to.deep.include({
      string: '',
      bool: false,
      int32: 0,
      int64: 0,
      double: 0,
      bytes: '',
      Quantity: '0',
      Time: null,
      MicroTime: null,
    });
  });
});
