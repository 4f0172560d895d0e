import { deriveAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import { failedOutcome } from './contract/failed-outcome.ts';
import type { DoctorContext, Outcome, Step, StepResult } from './contract/step.ts';

/** Called for each step as it happens. */
export interface Progress {
  began(step: Step): void;
  ended(result: StepResult): void;
}

/**
 * Runs steps one after the other. A step that needs one that failed is skipped, with the reason.
 *
 * Each step ends by its own, by the time limit, or when the signal aborts; after an abort no further step runs.
 */
export async function runSteps(
  steps: readonly Step[],
  context: DoctorContext,
  progress: Progress,
): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  /** Steps without a usable outcome, with the title of the one that failed. */
  const blocked = new Map<string, string>();
  for (const step of steps) {
    if (context.signal.aborted) break;
    const { id, title } = step;
    const because = step.needs.map((need) => blocked.get(need)).find((one) => one !== undefined);
    let result: StepResult;
    if (because !== undefined) {
      const detail = `it needs "${because}"`;
      result = { id, title, durationMs: 0, status: 'skipped', detail };
      blocked.set(id, because);
    } else {
      progress.began(step);
      result = await runStep(step, context);
      if (result.status === 'failed') blocked.set(id, title);
    }
    results.push(result);
    progress.ended(result);
  }
  return results;
}

async function runStep(step: Step, context: DoctorContext): Promise<StepResult> {
  const { runtime, options } = context;
  const startedMs = runtime.monotonicMs();
  const abort = deriveAbort(context.signal);
  let outcome: Outcome;
  try {
    const work = Promise.resolve().then(() => step.run({ ...context, signal: abort.signal }));
    outcome = await withDeadline(runtime, work, {
      timeoutMs: options.timeoutMs,
      signal: context.signal,
      describe: () => `"${step.title}"`,
    });
  } catch (error) {
    outcome = context.signal.aborted
      ? { status: 'failed', code: 'ABORTED', detail: 'interrupted', remedy: 'run it again' }
      : failedOutcome(error);
  } finally {
    abort.abort(new ListwatchError('ABORTED', `the step "${step.title}" has ended`));
  }
  const durationMs = runtime.monotonicMs() - startedMs;
  return { id: step.id, title: step.title, durationMs, ...outcome };
}
