import { createHash } from 'node:crypto';
import { FAULT_KINDS } from '../../../lib/simulator/contract/fault.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import { processName } from '../../../lib/simulator/run/seed-run.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { recordingOf } from '../../../lib/simulator/search/recording.ts';
import { swarmPlan } from '../../../lib/simulator/search/swarm-plan.ts';
import { simulateModule } from '../../../lib/simulator/simulate-module.ts';

/** A run of one plan: the plan as JSON, and all that happened. */
export interface SeedTrace {
  readonly plan: string;
  readonly trace: string;
}

/** The runs of the seeds 1 to `seeds`, with the faults that a search draws for them, after the one without faults. */
export async function seedTraces<Types extends object>(
  options: SimulationOptions<Types>,
  seeds: number,
): Promise<readonly SeedTrace[]> {
  // Types only say what the objects are like.
  const parts = simulationParts(options as unknown as SimulationOptions);
  const simulation = await Simulation.of(parts);
  const first = await simulation.record({
    version: SIMULATOR_VERSION,
    seed: 0,
    faults: [],
    origin: 'no faults',
  });
  const processes = parts.controllers.flatMap((one) =>
    Array.from({ length: one.replicas ?? 1 }, (_, replica) => processName(one, replica)),
  );
  const recording = recordingOf(first, processes);
  const records = [first];
  for (let seed = 1; seed <= seeds; seed += 1) {
    records.push(await simulation.record(swarmPlan(seed, recording, FAULT_KINDS)));
  }
  return records.map(({ plan, journal }) => ({
    plan: JSON.stringify(plan),
    trace: journal.text(),
  }));
}

/** The failure of a module in a process of its own with the clocks, timers and random numbers of the simulator. */
export async function moduleTraces(module: string): Promise<readonly SeedTrace[]> {
  const { failures } = await simulateModule({ module, onFailure: 'return', seeds: 1 });
  return failures.map(({ plan, trace }) => ({ plan: JSON.stringify(plan), trace }));
}

/** One line: how many runs, the bytes of their traces, and the SHA-256 of plans and traces. */
export function digestLine(name: string, traces: readonly SeedTrace[]): string {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const { plan, trace } of traces) {
    hash.update(`${plan}\n${trace}\n`);
    bytes += Buffer.byteLength(trace);
  }
  const counts = `${traces.length} runs, ${bytes} bytes`;
  return `${name.padEnd(26)} ${counts.padEnd(24)} ${hash.digest('hex')}`;
}
