import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
  type NumberRule,
} from '../../../lib/kernel/options/options.ts';

const read =
  (value: unknown, rule: NumberRule): (() => number) =>
  () =>
    numberOption('Pump', 'strokes', value as number | undefined, 7, rule);

describe('numberOption', () => {
  it('takes the default only for what was left out', () => {
    expect(read(undefined, { min: 10 })()).to.equal(7);
    expect(read(0, { min: 0 })()).to.equal(0);
  });

  it('includes its bounds', () => {
    expect(read(1, { min: 1, max: 3 })()).to.equal(1);
    expect(read(3, { min: 1, max: 3 })()).to.equal(3);
    expect(read(0.999, { min: 1, max: 3 })).to.throw(
      ListwatchError,
      'Pump: option "strokes" must be a number from 1 to 3, not 0.999',
    );
    expect(read(3.001, { min: 1, max: 3 })).to.throw(ListwatchError);
  });

  it('refuses values that are not numbers', () => {
    for (const value of [Number.NaN, '5', null, {}, 5n]) {
      expect(read(value, { min: 0 }), typeof value).to.throw(
        ListwatchError,
        'must be a number of at least 0',
      );
    }
  });

  it('refuses fractions where whole numbers are wanted, but not "without limit"', () => {
    expect(read(2.5, { min: 0, integer: true })).to.throw(
      ListwatchError,
      'a whole number of at least 0',
    );
    expect(read(Infinity, { min: 0, integer: true })()).to.equal(Infinity);
    expect(read(Infinity, { min: 0, max: 5 })).to.throw(ListwatchError);
  });
});

describe('rejectUnknownOptions', () => {
  it('names the option and those that exist', () => {
    rejectUnknownOptions('Pump', { strokes: 1 }, ['strokes', 'bore']);
    expect(() => {
      rejectUnknownOptions('Pump', { stroke: 1 }, ['strokes', 'bore']);
    })
      .to.throw(ListwatchError, 'Pump: unknown option "stroke"; did you mean "strokes"?')
      .with.property('code', 'INVALID_OPTION');
    expect(() => {
      rejectUnknownOptions('Pump', { colour: 1 }, ['strokes', 'bore']);
    }).to.throw(ListwatchError, 'Pump: unknown option "colour"; known are strokes, bore');
  });

  it('lists as many options as a line takes', () => {
    const many = Array.from({ length: 200 }, (_, index) => `option${index}`);
    expect(() => {
      rejectUnknownOptions('Pump', { [`x\n${'y'.repeat(5_000)}`]: 1 }, many);
    }).to.throw(/^Pump: unknown option "x y{50,58} …"; known are option0, .{200,250} …$/);
  });

  it('is not fooled by names that every object has', () => {
    expect(() => {
      rejectUnknownOptions('Pump', JSON.parse('{"__proto__": 1}') as object, ['strokes']);
    }).to.throw(ListwatchError, '"__proto__"');
    expect(() => {
      rejectUnknownOptions('Pump', { constructor: 1 }, ['strokes']);
    }).to.throw(ListwatchError, '"constructor"');
  });
});

describe('requireOptions', () => {
  it('names the option that is missing', () => {
    const options: { bore?: number | null | undefined } = { bore: 1 };
    requireOptions('Pump', options, ['bore']);
    for (const bore of [undefined, null]) {
      expect(() => {
        requireOptions('Pump', { bore }, ['bore']);
      })
        .to.throw(ListwatchError, 'Pump: option "bore" is required')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
