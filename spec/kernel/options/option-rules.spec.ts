import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import {
  filledText,
  integer,
  methods,
  number,
  object,
  oneOf,
  openRule,
  rule,
  abortSignal,
  texts,
  type OptionRule,
} from '../../../lib/kernel/options/option-rules.ts';

const read =
  (value: unknown, rule: OptionRule<never, unknown>): (() => unknown) =>
  () =>
    rule.read('Pump', 'strokes', value);

describe('OptionRule', () => {
  it('takes the default only for what was left out', () => {
    expect(number({ min: 10 }).default(17).read('Pump', 'strokes', undefined)).to.equal(17);
    expect(read(0, number({ min: 0 }).default(17))()).to.equal(0);
  });

  it('includes its bounds', () => {
    const rule = number({ min: 1, max: 3 });
    expect(read(1, rule)()).to.equal(1);
    expect(read(3, rule)()).to.equal(3);
    expect(read(0.999, rule)).to.throw(
      ListwatchError,
      'Pump: option "strokes" must be a number from 1 to 3, not 0.999',
    );
    expect(read(3.001, rule)).to.throw(ListwatchError);
  });

  it('refuses values that are not numbers', () => {
    for (const value of [Number.NaN, '5', null, {}, 5n]) {
      expect(read(value, number({ min: 0 })), typeof value).to.throw(
        ListwatchError,
        'must be a number of at least 0',
      );
    }
  });

  it('refuses fractions where whole numbers are wanted, but not "without limit"', () => {
    expect(read(2.5, integer({ min: 0 }))).to.throw('a whole number of at least 0, not 2.5');
    expect(read(Infinity, integer({ min: 0 }))()).to.equal(Infinity);
    expect(read(Infinity, integer({ min: 0, max: 5 }))).to.throw(ListwatchError);
  });

  it('lists the words of a choice', () => {
    expect(oneOf('one').expected).to.equal("'one'");
    expect(oneOf('one', 'two', 'three').expected).to.equal("'one', 'two' or 'three'");
  });

  it('refuses an empty text where one is needed', () => {
    expect(read('', filledText())).to.throw('must be a text that is not empty, not ""');
    expect(read('x', filledText())()).to.equal('x');
  });

  it('checks every text of an array', () => {
    expect(read(['a', 5], texts())).to.throw('must be an array of strings, not an array');
    expect(read(['a'], texts())()).to.deep.equal(['a']);
  });

  it('checks the methods that an object needs', () => {
    const rule = methods('a valve', 'open', 'close');
    const valve = { open() {}, close() {} };
    expect(read(valve, rule)()).to.equal(valve);
    expect(read({ ...valve, close: 1 }, rule)).to.throw('must be a valve, not an object');
  });

  it('takes an AbortSignal of another class', () => {
    const other = { aborted: false, addEventListener() {} };
    expect(read(other, abortSignal())()).to.equal(other);
  });

  it('shows a text only where it is no secret', () => {
    expect(read('s3cret', object())).to.throw('must be an object, not a string');
    expect(
      read(
        's3cret',
        rule('a path', () => false),
      ),
    ).to.throw('must be a path, not a string');
    const word = openRule('a colour', () => false);
    expect(read('sky', word)).to.throw('must be a colour, not "sky"');
    expect(read(['sky'], word)).to.throw('must be a colour, not ["sky"]');
    expect(read(['sky'], object())).to.throw('must be an object, not an array');
    expect(read('sky', word.required)).to.throw('not "sky"');
    expect(read('sky', word.default('red'))).to.throw('not "sky"');
  });

  it('shows values in one line, and nothing of objects', () => {
    const long = `a\u001B[31m\n${'b'.repeat(100)}`;
    expect(read(long, number({ min: 0 }))).to.throw(/not "a b{40,} …"$/);
    expect(read({ password: 'x' }, number({ min: 0 }))).to.throw(/not an object$/);
    expect(read(Symbol('s'), number({ min: 0 }))).to.throw(/not Symbol\(s\)$/);
    expect(read(() => 1, number({ min: 0 }))).to.throw(/not a function$/);
  });
});
