import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { PROBE, probed } from './probes.ts';
import { mutationsOf } from './mutator.ts';

/** What a source answers and which of its mutations ran on the way. */
function run(source: string): { readonly answer: unknown; readonly reached: string[] } {
  const mutations = mutationsOf('source.ts', source);
  const text = probed(
    source,
    mutations.map((mutation, number) => ({ number, mutation })),
  );
  const reached = new Set<number>();
  const scope = { [PROBE]: (number: number) => reached.add(number) };
  const answer: unknown = runInNewContext(text, scope);
  return { answer, reached: [...reached].map((number) => mutations[number]?.id ?? '').toSorted() };
}

describe('probed', () => {
  it('keeps what a program answers, and tells the operators, tests and literals that ran', () => {
    const { answer, reached } = run('let x = 1; if (x < 2 && x === 1) x = x + 5; x;');
    expect(answer).to.equal(6);
    expect(reached).to.deep.equal([
      'arithmetic@1:40',
      'boundary@1:18',
      'condition@1:16',
      'equality@1:27',
      'logic@1:22',
      'number@1:31',
      'number@1:9',
      'statement@1:34',
    ]);
  });

  it('tells nothing of a branch that did not run', () => {
    const { answer, reached } = run(
      'let x = 7; function f() { if (x === 8) { x -= 1; return true; } else if (x === 9) return false; return x; } f();',
    );
    expect(answer).to.equal(7);
    expect(reached).to.deep.equal(['equality@1:33', 'equality@1:76', 'statement@1:109']);
  });

  it('does no harm in a program that has no such function', () => {
    const source = '[1, 2].map((n) => n + 1).join();';
    const mutations = mutationsOf('source.ts', source);
    const text = probed(
      source,
      mutations.map((mutation, number) => ({ number, mutation })),
    );
    expect(text).to.include(PROBE);
    expect(runInNewContext(text, {})).to.equal('2,3');
  });
});
