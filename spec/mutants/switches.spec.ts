import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { mutated } from './mutation.ts';
import { mutationsOf } from './mutator.ts';
import { SWITCH, switched } from './switches.ts';

const SOURCE = `
  function f(x) {
    if (x === 8) { x -= 1; return true; } else if (x === 9) return false;
    let sum = 0;
    for (let i = 0; i < x && i !== 5; i += 1) { turn(); sum = sum + i; }
    return sum;
  }
  [8, 9, 0, 3, 7].map(f).join();`;

const mutations = mutationsOf('source.ts', SOURCE);
const text = switched(
  SOURCE,
  mutations.map((mutation, number) => ({ number, mutation })),
);

describe('switched', () => {
  it('is a program that does the same with all switches off, or without the function', () => {
    const plain = outcomeOf(SOURCE, {});
    expect(plain).to.equal('true,false,0,3,10');
    expect(outcomeOf(text, {})).to.equal(plain);
    expect(outcomeOf(text, { [SWITCH]: () => false })).to.equal(plain);
  });

  it('does what a mutant does with its switch on', () => {
    for (const [at, mutation] of mutations.entries()) {
      const expected = outcomeOf(mutated(SOURCE, mutation), {});
      const scope = { [SWITCH]: (number: number) => number === at };
      expect(outcomeOf(text, scope), mutation.id).to.equal(expected);
    }
  });

  it('asks only where the program comes by', () => {
    const asked = new Set<number>();
    const scope = { [SWITCH]: (number: number) => asked.add(number) === undefined };
    const short = 'function f(x) { if (x) return 1 + x; return x; } f(0);';
    const found = mutationsOf('source.ts', short);
    runInNewContext(
      switched(
        short,
        found.map((mutation, number) => ({ number, mutation })),
      ),
      scope,
    );
    const ids = [...asked]
      .map((number) => found[number]?.operator ?? '')
      .toSorted((one, other) => (one < other ? -1 : 1));
    expect(ids).to.deep.equal(['condition', 'number', 'statement']);
  });
});

/** The answer of a program, its failure, or the fact that its loop does not end. */
function outcomeOf(program: string, scope: object): unknown {
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (turns > 100) throw new Error('the loop does not end');
  };
  try {
    return runInNewContext(program, { ...scope, turn });
  } catch (error) {
    return String(error);
  }
}
