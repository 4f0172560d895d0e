import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import {
  callback,
  flag,
  integer,
  number,
  object,
  oneOf,
  abortSignal,
  text,
} from '../../../lib/kernel/options/option-rules.ts';
import { optionsOf, OptionsSchema } from '../../../lib/kernel/options/options-schema.ts';

interface Valve<K> {
  close(key: K): void;
}

interface PumpOptions<K = string> {
  readonly name?: string | undefined;
  readonly strokes?: number | undefined;
  readonly bore: number;
  readonly mode?: 'lift' | 'force' | undefined;
  readonly valve?: Valve<K> | undefined;
  readonly dry?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

const PUMP = optionsOf<PumpOptions>()('Pump', {
  name: text().default('pump'),
  strokes: integer({ min: 1 }).default(7),
  bore: number({ min: 0, max: 10 }).required,
  mode: oneOf('lift', 'force').default('lift'),
  valve: object(),
  dry: flag(),
  signal: abortSignal(),
  onError: callback(),
});

/** Reads as a program in JavaScript would. */
const read =
  (given: unknown): (() => object) =>
  () =>
    PUMP.read(given as PumpOptions);

function refuses(given: unknown, message: string): void {
  expect(read(given)).to.throw(ListwatchError, message).with.property('code', 'INVALID_OPTION');
}

describe('OptionsSchema', () => {
  it('fills in the defaults of what was left out, and types them', () => {
    const { name, strokes, mode, dry } = PUMP.read({ bore: 2, strokes: undefined });
    const typed: [string, number, 'lift' | 'force'] = [name, strokes, mode];
    expect(typed).to.deep.equal(['pump', 7, 'lift']);
    expect(dry).to.equal(undefined);
  });

  it('keeps type parameters of the options', () => {
    const valve: Valve<number> = { close() {} };
    const options: PumpOptions<number> = { bore: 2, valve };
    const same: Valve<number> | undefined = PUMP.read(options).valve;
    expect(same).to.equal(valve);
  });

  it('does not change the options that it reads', () => {
    const given = Object.freeze({ bore: 2 });
    expect(PUMP.read(given)).to.not.equal(given);
  });

  it('names a missing option', () => {
    for (const bore of [undefined, null]) refuses({ bore }, 'Pump: option "bore" is required');
  });

  it('names the value that breaks a rule', () => {
    const aborted = { aborted: false };
    const rows: [object, string][] = [
      [{ name: 5 }, 'option "name" must be a string, not 5'],
      [{ strokes: 0 }, 'option "strokes" must be a whole number of at least 1, not 0'],
      [{ strokes: '5' }, 'option "strokes" must be a whole number of at least 1, not "5"'],
      [{ strokes: {} }, 'must be a whole number of at least 1, not an object'],
      [{ mode: 'suck' }, `option "mode" must be 'lift' or 'force', not "suck"`],
      [{ valve: 'lock' }, 'option "valve" must be an object, not a string'],
      [{ valve: [] }, 'option "valve" must be an object, not an array'],
      [{ dry: 1 }, 'option "dry" must be true or false, not 1'],
      [{ dry: null }, 'option "dry" must be true or false, not null'],
      [{ signal: aborted }, 'option "signal" must be an AbortSignal, not an object'],
      [{ onError: {} }, 'option "onError" must be a function, not an object'],
    ];
    for (const [given, message] of rows) refuses({ bore: 1, ...given }, message);
  });

  it('refuses options that are not an object', () => {
    refuses(undefined, 'Pump: the options must be an object, not undefined');
    refuses(null, 'Pump: the options must be an object, not null');
    refuses([], 'Pump: the options must be an object, not an array');
    refuses('secret', 'Pump: the options must be an object, not a string');
  });

  it('names an option that does not exist, and the one that was meant', () => {
    refuses({ bore: 1, stroke: 1 }, 'Pump: unknown option "stroke"; did you mean "strokes"?');
    refuses(
      { bore: 1, colour: 1 },
      'Pump: unknown option "colour"; known are name, strokes, bore, mode',
    );
  });

  it('lists as many options as a line takes', () => {
    const rule = text().required;
    const names = Array.from({ length: 200 }, (_, index) => [`option${index}`, rule] as const);
    const many = new OptionsSchema<Record<string, string>>('Pump', Object.fromEntries(names));
    expect(() => many.read({ [`x\n${'y'.repeat(5_000)}`]: '1' })).to.throw(
      /^Pump: unknown option "x y{50,58} …"; known are option0, .{200,250} …$/,
    );
  });

  it('is not fooled by names that every object has', () => {
    refuses(JSON.parse('{"bore":1,"__proto__":{"strokes":3}}'), 'unknown option "__proto__"');
    refuses({ bore: 1, constructor: 1 }, 'unknown option "constructor"');
  });

  it('ignores a polluted prototype of all objects', () => {
    const polluted = Object.prototype as { strokes?: number };
    // oxlint-disable-next-line no-extend-native -- this is the attack
    Object.defineProperty(polluted, 'strokes', {
      value: 3,
      configurable: true,
      writable: true,
    });
    try {
      expect(PUMP.read({ bore: 1 }).strokes).to.equal(7);
      expect(PUMP.read({ bore: 1, strokes: 4 }).strokes).to.equal(4);
    } finally {
      delete polluted.strokes;
    }
  });

  it('reads options of a class', () => {
    class Options {
      get bore(): number {
        return 3;
      }
    }
    expect(PUMP.read(new Options()).bore).to.equal(3);
  });

  it('names another owner, and the path of options within an option', () => {
    expect(() => PUMP.read({ bore: 11 }, 'Well', 'pump.')).to.throw(
      'Well: option "pump.bore" must be a number from 0 to 10, not 11',
    );
    expect(() => PUMP.read({ bores: 1 } as unknown as PumpOptions, 'Well', 'pump.')).to.throw(
      'Well: unknown option "pump.bores"; did you mean "pump.bore"?',
    );
    expect(() => PUMP.read('x' as unknown as PumpOptions, 'Well', 'pump.')).to.throw(
      'Well: option "pump" must be an object, not a string',
    );
  });

  it('is the rule of an option with options of its own', () => {
    interface WellOptions {
      readonly pump: PumpOptions;
      readonly spare?: PumpOptions | false | 'same' | undefined;
    }
    const rules = {
      pump: PUMP.nested.required,
      spare: PUMP.nestedOr("a pump, 'same' or false", 'same', false),
    };
    const well = optionsOf<WellOptions>()('Well', rules);
    const pump = { bore: 1 };
    expect(well.read({ pump, spare: false })).to.deep.equal({ pump, spare: false });
    expect(well.read({ pump, spare: pump }).spare).to.equal(pump);
    expect(() => well.read({ pump: { bore: 11 } })).to.throw(
      'Well: option "pump.bore" must be a number from 0 to 10, not 11',
    );
    expect(() => well.read({ pump, spare: { bores: 1 } as never })).to.throw(
      'Well: unknown option "spare.bores"; did you mean "spare.bore"?',
    );
    expect(() => well.read({ pump, spare: 'none' as never })).to.throw(
      `Well: option "spare" must be a pump, 'same' or false, not "none"`,
    );
    expect(() => well.read({} as never)).to.throw('Well: option "pump" is required');
  });

  it('does not compile with rules that are not those of the interface', () => {
    interface Small {
      readonly most?: number | undefined;
      readonly name: string;
    }
    const most = number({ min: 0 });
    const name = text().required;
    const small = optionsOf<Small>();
    // @ts-expect-error -- an option without a rule
    small('Small', { most });
    // @ts-expect-error -- a rule without an option
    small('Small', { most, name, least: most });
    // @ts-expect-error -- a required option with an optional rule
    small('Small', { most, name: text() });
    // @ts-expect-error -- a rule of another type
    small('Small', { most: text(), name });
    // @ts-expect-error -- a default of another type
    small('Small', { most: most.default('1'), name });
    expect(() => small('Small', { most, name }).read({ name: 'x' })).to.not.throw();
  });
});
