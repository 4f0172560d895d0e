import { FuzzProgress } from '../fuzz-progress.ts';
import { PortCourse, type PortTally } from './port-course.ts';
import { ServedProcess, targetAt } from './served-process.ts';
import type { PortTarget } from './port-target.ts';

export interface FuzzPortOptions {
  readonly inputs: number;
  readonly seed: string;
  /** The connection to begin with. */
  readonly from: number;
  /** Of a server that runs already; its token is in the variable FUZZ_TOKEN. */
  readonly server: string | undefined;
}

/** Inputs between two checks. */
const BATCH = 2_000;
const CONNECTIONS = 16;
const MOST_PROBLEMS = 5;
const MOST_MEMORY_BYTES = 1024 ** 3;

/** Sends inputs over a port, prints the figures, and returns whether nothing failed. */
export async function fuzzPort(options: FuzzPortOptions): Promise<boolean> {
  const { server } = options;
  if (server !== undefined) {
    const target = targetAt(server, process.env['FUZZ_TOKEN'] ?? '');
    return await fuzz(target, options, () => []);
  }
  await using served = await ServedProcess.start();
  return await fuzz(served.target, options, () => served.problems());
}

async function fuzz(
  target: PortTarget,
  { seed, inputs, from }: FuzzPortOptions,
  problemsOf: () => string[],
): Promise<boolean> {
  const mostMemoryBytes = MOST_MEMORY_BYTES;
  await using course = new PortCourse({ target, seed, connections: CONNECTIONS, mostMemoryBytes });
  await course.start();
  const { tally } = course;
  const startMs = performance.now();
  const problems: string[] = [];
  const progress = new FuzzProgress(inputs);
  const onInput = (): void => progress.update(tally.inputs);
  while (tally.inputs < inputs && problems.length < MOST_PROBLEMS) {
    const batch = Math.min(BATCH, inputs - tally.inputs);
    try {
      problems.push(...(await course.run(from + tally.connections, batch, onInput)));
    } catch (error) {
      problems.push(String(error));
    }
    problems.push(...problemsOf());
    for (const problem of problems.slice(progress.alarms)) console.log(`FAILED ${problem}`);
    progress.alarms = problems.length;
  }
  problems.push(...(await lastCheck(course)));
  for (const problem of problems.slice(progress.alarms)) console.log(`FAILED ${problem}`);
  report(tally);
  const seconds = (performance.now() - startMs) / 1000;
  console.log(
    `seed ${seed}, ${seconds.toFixed(1)} s; to go on: --from ${from + tally.connections}`,
  );
  if (problems.length > 0) {
    console.log(`  npm run check -- fuzz-api --port --seed ${seed} --from CONNECTION --inputs 1`);
  }
  return problems.length === 0;
}

/** Waits until the connections of clients that left are closed. */
async function lastCheck(course: PortCourse): Promise<string[]> {
  try {
    return await course.check();
  } catch (error) {
    return [String(error)];
  }
}

function report({ inputs, connections, statuses }: PortTally): void {
  const rows = [...statuses].toSorted(([a], [b]) => a - b);
  for (const [status, count] of rows) {
    console.log(`${String(count).padStart(9)}  ${status === 2 ? 'over HTTP/2' : status}`);
  }
  console.log(`${inputs} inputs over ${connections} connections`);
}
