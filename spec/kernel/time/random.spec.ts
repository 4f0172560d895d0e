import { expect } from 'chai';
import {
  randomInteger,
  randomText,
  randomUuid,
  seededRandom,
} from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('seededRandom', () => {
  /** A change of these breaks every recorded seed. */
  const SNAPSHOTS: readonly (readonly [number | string, readonly number[]])[] = [
    [1, [0.7093452443368733, 0.13384032575413585, 0.30724117695353925, 0.6112137138843536]],
    [2, [0.5893145375885069, 0.18512138235382736, 0.6158918221481144, 0.7913860557600856]],
    [
      'listwatch',
      [0.26533752074465156, 0.388180507812649, 0.09440469765104353, 0.5238818645011634],
    ],
  ];
  for (const [seed, numbers] of SNAPSHOTS) {
    it(`gives the same numbers for ${JSON.stringify(seed)} on every machine`, () => {
      const next = seededRandom(seed);
      expect(numbers.map(() => next())).to.deep.equal(numbers);
    });
  }

  it('spreads evenly, and differently for each seed', () => {
    const next = seededRandom('even');
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let count = 0; count < 100_000; count += 1) {
      const number = next();
      expect(number >= 0 && number < 1).to.equal(true);
      const bucket = Math.floor(number * 10);
      buckets[bucket] = (buckets[bucket] as number) + 1;
    }
    for (const size of buckets) expect(size).to.be.within(9600, 10_400);
    const firsts = new Set(Array.from({ length: 1000 }, (_, seed) => seededRandom(seed)()));
    expect(firsts.size).to.equal(1000);
  });
});

describe('random values', () => {
  const runtime = new VirtualRuntime({ seed: 5 });

  it('draws whole numbers, both bounds included', () => {
    const seen = new Set(Array.from({ length: 500 }, () => randomInteger(runtime, 3, 6)));
    expect([...seen].toSorted((left, right) => left - right)).to.deep.equal([3, 4, 5, 6]);
  });

  it('draws text of an alphabet', () => {
    expect(randomText(runtime, 20, 'ab')).to.match(/^[ab]{20}$/);
    expect(randomText(runtime, 0, 'ab')).to.equal('');
  });

  it('draws version 4 UUIDs', () => {
    const seen = new Set(Array.from({ length: 200 }, () => randomUuid(runtime)));
    expect(seen.size).to.equal(200);
    for (const uuid of seen) {
      expect(uuid).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });
});
