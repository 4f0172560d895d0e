import { expect } from 'chai';
import type * as FailurePatterns from '../../examples/failure-patterns/patterns.ts';
import { plainProgram } from '../support/plain-programs.ts';
import { runExample } from './support/run-example.ts';

type Patterns = typeof FailurePatterns;

const FOLDER = 'examples/failure-patterns';
const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** The invariant that the wrong operator breaks under the plan of its pattern. */
const BROKEN = {
  'crash between writes': ['shop has 2 secrets, not one'],
  'stale cache': ['the secret of shop was deleted, and shop was at work'],
  'unobserved change': [
    'shop was not migrated to version 2',
    'jobs that are left of databases that are gone: 1',
  ],
} as const;

type Name = keyof typeof BROKEN;

describe('the failure patterns of controllers', () => {
  let patterns: Patterns;

  before(async () => {
    patterns = (await import(await plainProgram(`${FOLDER}/patterns.ts`))) as Patterns;
  });

  const patternOf = (name: Name): Patterns['PATTERNS'][number] =>
    patterns.PATTERNS.find((pattern) => pattern.name === name)!;

  it('are three', () => {
    expect(patterns.PATTERNS.map(({ name }) => name)).to.deep.equal(Object.keys(BROKEN));
  });

  for (const name of Object.keys(BROKEN) as Name[]) {
    describe(name, () => {
      it('is not found by a test without faults: both operators pass it', async () => {
        const pattern = patternOf(name);
        expect(await patterns.brokenInCalm(pattern, 'wrong')).to.deep.equal([]);
        expect(await patterns.brokenInCalm(pattern, 'right')).to.deep.equal([]);
      });

      it(`breaks the wrong operator under its plan: ${BROKEN[name].join('; ')}`, async () => {
        expect(await patterns.brokenByPlan(patternOf(name), 'wrong')).to.deep.equal(BROKEN[name]);
      });

      it('does not break the right operator under the same plan', async () => {
        expect(await patterns.brokenByPlan(patternOf(name), 'right')).to.deep.equal([]);
      });

      it(`breaks the wrong operator in courses of ${SEEDS.length} seeds, and never the right one`, async () => {
        const caught: number[] = [];
        for (const seed of SEEDS) {
          if ((await patterns.brokenBySeed(patternOf(name), 'wrong', seed)).length > 0) {
            caught.push(seed);
          }
          const broken = await patterns.brokenBySeed(patternOf(name), 'right', seed);
          expect(broken, `seed ${seed}`).to.deep.equal([]);
        }
        expect(caught, 'seeds that break the wrong one').to.have.length.within(1, SEEDS.length - 1);
      });
    });
  }

  it('are replayed by their seed: it breaks the same in each run', async () => {
    const pattern = patternOf('unobserved change');
    const courses = async (): Promise<(readonly string[])[]> => {
      const broken: (readonly string[])[] = [];
      for (const seed of SEEDS.slice(0, 6)) {
        broken.push(await patterns.brokenBySeed(pattern, 'wrong', seed));
      }
      return broken;
    };
    const first = await courses();
    expect(new Set(first.map((broken) => broken.join())).size).to.be.greaterThan(1);
    expect(await courses()).to.deep.equal(first);
  });

  it('need servers in the process: the program refuses a kubeconfig in one line', async () => {
    const args = ['--kubeconfig', 'some'];
    const { code, stdout, stderr } = await runExample(`${FOLDER}/main.ts`, args);
    expect(stderr).to.match(/^failure-patterns: [^\n]*--kubeconfig[^\n]*\n$/);
    expect([code, stdout]).to.deep.equal([2, '']);
  });

  it('are tried with a number of seeds: the program refuses other words in one line', async () => {
    const { code, stderr } = await runExample(`${FOLDER}/main.ts`, ['--seeds', 'many']);
    expect(stderr).to.match(/^failure-patterns: [^\n]*--seeds[^\n]*\n$/);
    expect(code).to.equal(2);
  });
});
