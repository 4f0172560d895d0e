import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SimulationFailure } from '../../../lib/simulator/contract/simulation-report.ts';
import { simulateModule } from '../../../lib/simulator/simulate-module.ts';
import { REPORTED } from './support/reported-tricks.ts';
import { CLOCKS, DRAWS, WAITS } from './support/simulated-tricks.ts';

const MODULE = new URL('./support/tricks.simulation.ts', import.meta.url).href;
const SOURCE = join(import.meta.dirname, 'support', 'reported-tricks.ts');

async function failureOf(query: string): Promise<SimulationFailure> {
  const report = await simulateModule({ module: `${MODULE}?${query}`, onFailure: 'return' });
  const [failure] = report.failures;
  if (failure === undefined) throw new Error(report.summary);
  return failure;
}

describe('a controller that uses the machine in place of its runtime', () => {
  let one: SimulationFailure;
  let other: SimulationFailure;
  const read = (name: string, { trace }: SimulationFailure): string | undefined =>
    trace.split('\n').flatMap((line) => line.split(`info: ${name}: `).slice(1))[0];

  before(async () => {
    [one, other] = await Promise.all([failureOf('one'), failureOf('other')]);
  });

  for (const name of Object.keys(WAITS)) {
    it(`waits in virtual time: ${name}`, () => {
      expect(read(name, one)).to.equal('250.000');
    });
  }

  for (const name of Object.keys(CLOCKS)) {
    it(`reads the virtual clock: ${name}`, () => {
      expect(read(name, one)).to.equal('true');
    });
  }

  for (const name of Object.keys(DRAWS)) {
    it(`draws the same numbers in another process: ${name}`, () => {
      expect(read(name, one)).to.match(/\d/).and.equal(read(name, other));
    });
  }

  it('has the same trace in another process, and nothing to report', () => {
    expect(one.trace).to.equal(other.trace);
    expect(one.findings.map(({ subject }) => subject)).to.deep.equal(['notified']);
  });
});

describe('a controller that uses something real', () => {
  let failure: SimulationFailure;
  let lines: readonly string[];

  before(async () => {
    failure = await failureOf('reported');
    lines = (await readFile(SOURCE, 'utf8')).split('\n');
  });

  for (const what of Object.keys(REPORTED)) {
    it(`is reported with file and line: ${what}`, () => {
      const name = /^\w+$/.test(what) ? `${what}:` : `'${what}':`;
      const line = lines.findIndex((text) => text.includes(name)) + 1;
      const subjects = failure.findings.map(({ subject }) => subject);
      const place = `spec/simulator/ambient/support/reported-tricks.ts:${line}`;
      expect(subjects).to.include(`${what} at ${place}`);
    });
  }
});
