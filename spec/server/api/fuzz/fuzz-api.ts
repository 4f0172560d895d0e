/**
 * Sends requests that were drawn at random to the API server in this process, or bytes over the sockets of a process of its own, and
 * checks the answers: `npm run fuzz:api`.
 */
import { parseArgs } from 'node:util';
import { fuzzPort } from './port/fuzz-port.ts';
import { FuzzFailure, runCourse, type Tally } from './fuzz-course.ts';

const USAGE = `npm run fuzz:api -- [options]

  --inputs n     how many requests (1000000)
  --seed n       draws others (1)
  --only n       one course of the seed: 10000 requests to one server; with --port the connection to begin with
  --port         over sockets, to \`listwatch serve\`: HTTP/1.1 and HTTP/2, well formed and malformed
  --server URL   over sockets, to a server that runs already; its token is in the variable FUZZ_TOKEN
  --help         shows this`;

/** Requests to one server; the next course has a new one. */
const COURSE_REQUESTS = 10_000;
const FAILURES_SHOWN = 5;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      port: { type: 'boolean', default: false },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { seed, only } = values;
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (values.port || values.server !== undefined) {
    const first = Number(only ?? 0);
    const ended = await fuzzPort({
      ...values,
      inputs: Number(values.inputs),
      first,
      server: values.server,
    });
    if (!ended) process.exitCode = 1;
    return;
  }
  const tally: Tally = new Map();
  const startMs = performance.now();
  const courses = Math.ceil(Number(values.inputs) / COURSE_REQUESTS);
  let failures = 0;
  for (
    let course = Number(only ?? 0);
    course < (only === undefined ? courses : Number(only) + 1);
    course += 1
  ) {
    const count = Math.min(
      COURSE_REQUESTS,
      Number(values.inputs) - (only === undefined ? course * COURSE_REQUESTS : 0),
    );
    failures += await play(seed, course, count, tally);
    if (failures === FAILURES_SHOWN) break;
  }
  const rows = [...tally].toSorted(([a], [b]) => a - b);
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  for (const [status, count] of rows) console.log(`${String(count).padStart(9)}  ${status}`);
  const seconds = (performance.now() - startMs) / 1000;
  const result = failures === 0 ? 'no failure' : `${failures} FAILED`;
  console.log(`seed ${seed}: ${total} requests, ${result}, ${seconds.toFixed(1)} s`);
  if (failures > 0) process.exitCode = 1;
}

async function play(seed: string, course: number, count: number, tally: Tally): Promise<number> {
  try {
    await runCourse(`${seed}/${course}`, count, tally);
    return 0;
  } catch (error) {
    console.log(`FAILED ${String(error).slice(0, 2000)}`);
    if (error instanceof FuzzFailure) {
      const { method, url, headers, body } = error.request;
      console.log(`  ${method} ${url.slice(0, 300)} ${JSON.stringify(headers)}`);
      console.log(`  ${JSON.stringify(Buffer.from(body.subarray(0, 1_000)).toString('latin1'))}`);
    }
    console.log(`  npm run fuzz:api -- --seed ${seed} --only ${course}`);
    return 1;
  }
}
