import type { Runtime } from './runtime.ts';
import { nextTask } from './wait.ts';

/** A slice takes about this long, milliseconds. */
const SLICE_MS = 1;
/** The most steps of a slice. */
const SLICE_STEPS = 5000;
/** Steps between two clock reads. */
const CLOCK_EVERY = 16;

/** Runs all steps, about a millisecond a task; stops when the signal aborts between two slices. */
export async function runInSlices(
  steps: Iterator<void>,
  runtime: Runtime,
  signal?: AbortSignal,
): Promise<void> {
  while (!runSlice(steps, runtime)) {
    await nextTask(runtime);
    if (signal?.aborted === true) return;
  }
}

/** Runs the remaining steps without a pause. */
export function runToEnd(steps: Iterator<void>): void {
  while (steps.next().done !== true);
}

/** Whether the steps are at their end. */
function runSlice(steps: Iterator<void>, runtime: Runtime): boolean {
  const endMs = runtime.monotonicMs() + SLICE_MS;
  for (let taken = 1; taken <= SLICE_STEPS; taken += 1) {
    if (steps.next().done === true) return true;
    if (taken % CLOCK_EVERY === 0 && runtime.monotonicMs() >= endMs) return false;
  }
  return false;
}
