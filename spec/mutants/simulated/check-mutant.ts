/**
 * A process over code with mutants behind switches: `reach` says which switches each simulation comes by; `MUTANT NAME…` switches one mutant
 * on, and says what these simulations find.
 */
import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { FAULT_KINDS } from '../../../lib/simulator/contract/fault.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';
import { SWITCH } from '../switches.ts';
import type { Found, Reached } from './answers.ts';
import { simulations } from './simulations.ts';

/** Without time travel, which not all of them survive. */
const KINDS = FAULT_KINDS.filter((kind) => kind !== 'stale');
/** A number of seeds, not a time: the result does not depend on the speed of the machine. */
const SEEDS = 4;
/** Of a simulation whose runs take several times as long. */
const FEW_SEEDS: Readonly<Record<string, number>> = { 'sharded-controller': 1 };
const REACH_SEEDS = 1;

/** Processor time, which a busy machine does not use up: a mutant with which simulations do not end is noticed too. */
const MOST_CPU_S = 120;
// A thread of its own: an endless loop stops all else.
new Worker(
  `setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (user + system > ${MOST_CPU_S * 1e6}) process.kill(process.pid, 'SIGKILL');
  }, 1000)`,
  { eval: true },
).unref();

const [what = 'reach', ...names] = process.argv.slice(2);
const on = Number(what);
let reached = new Set<number>();
const isOn = (number: number): boolean => number === on;
const reaches = (number: number): boolean => {
  reached.add(number);
  return false;
};
Object.assign(globalThis, { [SWITCH]: what === 'reach' ? reaches : isOn });

/** The finding of a simulation, or undefined. */
async function found(name: string, seeds: number): Promise<string | undefined> {
  const simulation = simulations.get(name);
  if (simulation === undefined) throw new Error(`there is no simulation ${name}`);
  try {
    const report = await simulate({
      ...simulation,
      systematic: false,
      faults: KINDS,
      seeds,
      shrink: false,
      onFailure: 'return',
    });
    const [failure] = report.failures;
    const [finding] = failure?.findings ?? [];
    if (failure === undefined || finding === undefined) return undefined;
    return `${finding.class}: ${finding.subject}: ${finding.message}, after ${failure.runsToFind} runs`;
  } catch (error) {
    return errorMessage(error);
  }
}

async function reach(): Promise<Reached> {
  const bySimulation: Reached['bySimulation'] = {};
  const loaded = reached;
  for (const name of simulations.keys()) {
    reached = new Set(loaded);
    const alarm = await found(name, REACH_SEEDS);
    if (alarm !== undefined) return { bySimulation, alarm: `${name}: ${alarm}` };
    bySimulation[name] = [...reached];
  }
  return { bySimulation, alarm: undefined };
}

async function check(): Promise<Found> {
  for (const name of names) {
    const finding = await found(name, FEW_SEEDS[name] ?? SEEDS);
    if (finding !== undefined) return { finding, by: name };
  }
  return { finding: undefined, by: undefined };
}

process.send?.(what === 'reach' ? await reach() : await check());
process.disconnect?.();
