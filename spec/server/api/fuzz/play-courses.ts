import { FuzzFailure, runCourse, type RequestSource, type Tally } from './fuzz-course.ts';
import type { FuzzRequest } from './draw-request.ts';
import { FuzzProgress } from './fuzz-progress.ts';
import { HangWatch } from './hang-watch.ts';

export interface PlayOptions {
  /** Repeats a course. */
  readonly command: string;
  readonly seed: string;
  /** How many requests. */
  readonly inputs: number;
  /** The course to begin with. */
  readonly from: number;
  readonly source?: RequestSource | undefined;
}

/** Requests to one server; the next course has a new one. */
const COURSE_REQUESTS = 10_000;
const FAILURES_SHOWN = 5;

/** Sends requests in courses, prints the figures, and returns whether nothing failed. */
export async function playCourses(options: PlayOptions): Promise<boolean> {
  const { seed, inputs, from } = options;
  const total: Tally = new Map();
  const progress = new FuzzProgress(inputs);
  await using watch = new HangWatch();
  const startMs = performance.now();
  let slowest = { ms: 0, text: '' };
  let done = 0;
  let course = from;
  for (; done < inputs && progress.alarms < FAILURES_SHOWN; course += 1) {
    const before = done;
    let open = { text: '', startMs: performance.now() };
    const close = (): void => {
      const ms = performance.now() - open.startMs;
      if (ms > slowest.ms) slowest = { ms, text: open.text };
    };
    const onInput = (request: FuzzRequest, index: number): void => {
      if (index > 0) close();
      done = before + index;
      progress.update(done);
      const text = `input ${index} of --from ${course}: ${describe(request)}`;
      watch.begin(text);
      open = { text, startMs: performance.now() };
    };
    const count = Math.min(COURSE_REQUESTS, inputs - before);
    try {
      const tally = await runCourse(`${seed}/${course}`, count, { ...options, onInput });
      for (const [status, many] of tally) total.set(status, (total.get(status) ?? 0) + many);
    } catch (error) {
      progress.alarms += 1;
      report(
        error,
        `${options.command} --seed ${seed} --from ${course} --inputs ${done - before + 1}`,
      );
    }
    done = before + count;
  }
  const rows = [...total].toSorted(([a], [b]) => a - b);
  for (const [status, many] of rows) console.log(`${String(many).padStart(9)}  ${status}`);
  console.log(`the slowest took ${slowest.ms.toFixed(0)} ms: ${slowest.text.slice(0, 300)}`);
  const seconds = (performance.now() - startMs) / 1000;
  const result = progress.alarms === 0 ? 'no failure' : `${progress.alarms} FAILED`;
  console.log(`seed ${seed}: ${done} requests, ${result}, ${seconds.toFixed(1)} s`);
  console.log(`to go on: --from ${course}`);
  return progress.alarms === 0;
}

function describe({ method, url, headers, body }: FuzzRequest): string {
  const text = JSON.stringify(Buffer.from(body.subarray(0, 1_000)).toString('latin1'));
  return `${method} ${url.slice(0, 300)} ${JSON.stringify(headers)} ${text}`.slice(0, 2_000);
}

function report(error: unknown, command: string): void {
  console.log(`FAILED ${String(error).slice(0, 2000)}`);
  if (error instanceof FuzzFailure) console.log(`  ${describe(error.request)}`);
  else console.error(error);
  console.log(`  ${command}`);
}
