import { ListwatchError } from '../../kernel/failure/errors.ts';
import { runHook } from '../../kernel/report/run-hook.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  describeNext,
  describePlan,
  type ReflectorErrorContext,
  type ReflectorTransition,
} from './options/reflector-report.ts';
import type { ReflectorState } from './table/reflector-state.ts';
import { failureLine } from './failure/failure-line.ts';
import { RepeatedErrors } from '../../kernel/report/repeated-errors.ts';
import { classifyFailure } from './failure/watch-error.ts';

export interface ReflectorObserverOptions {
  readonly name: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onError?: ((error: unknown, context: ReflectorErrorContext) => void) | undefined;
  readonly onTransition?: ((transition: ReflectorTransition) => void) | undefined;
}

type Story = Omit<ReflectorErrorContext, 'name' | 'message' | 'repeated' | 'worthLogging'>;

/** Reports the work of a reflector to hooks, logger and metrics. An error of a hook is logged and has no other effect. */
export class ReflectorObserver {
  readonly #options: ReflectorObserverOptions;
  readonly #repeated: RepeatedErrors = new RepeatedErrors();

  constructor(options: ReflectorObserverOptions) {
    this.#options = options;
  }

  transition(exact: Omit<ReflectorTransition, 'name'>): void {
    const { name, logger, metrics, onTransition } = this.#options;
    const { from, to, items, events, delayMs } = exact;
    const durationMs = Math.round(exact.durationMs);
    const transition = { ...exact, durationMs, delayMs: delayMs && Math.round(delayMs) };
    logger.debug('reflector changed its state', transition);
    metrics.count('listwatch_reflector_transitions_total', 1, { name, from, to });
    if (from === 'listing' || from === 'streaming-list') {
      metrics.observe('listwatch_reflector_list_duration_seconds', durationMs / 1000, { name });
      if (to === 'watching')
        metrics.gauge('listwatch_reflector_listed_items', items ?? 0, { name });
    }
    if (events !== undefined) metrics.observe('listwatch_reflector_watch_events', events, { name });
    if (onTransition === undefined) return;
    this.#guard('onTransition', () => onTransition({ name, ...transition }));
  }

  /** Reports an error after which the reflector continues in `state`, after `delayMs`. */
  error(error: unknown, from: ReflectorState, state: ReflectorState, delayMs: number): void {
    const { name, metrics } = this.#options;
    const { kind } = classifyFailure(error);
    metrics.count('listwatch_reflector_errors_total', 1, { name, kind });
    const story: Story = {
      during: from.name,
      next: describeNext(state).next,
      delayMs: Math.round(delayMs),
      expected: isExpected(error, from, state),
      resourceVersion: state.memory.resourceVersion,
    };
    this.#report(error, kind, story, describePlan(state, delayMs));
  }

  /** Reports events that are not newer than `newest`. */
  stale(newest: string, state: ReflectorState): void {
    const text = `the watch of ${this.#options.name} sent events that are not newer than resource version ${newest}, which it had reached`;
    const plan = 'drops such events and reads on';
    this.#remark(new ListwatchError('STALE_EVENT', text), state, plan, true);
  }

  /** Reports items of a list that are not objects. */
  skipped(items: number | undefined, state: ReflectorState): void {
    if (items === undefined || items === 0) return;
    const text = `the list of ${this.#options.name} has ${items} items that are no objects`;
    this.#remark(new ListwatchError('MALFORMED_RESPONSE', text), state, 'leaves them out', false);
  }

  /** Reports an error that does not change the state of the reflector. */
  #remark(error: unknown, state: ReflectorState, plan: string, expected: boolean): void {
    const { name: during, memory } = state;
    const { resourceVersion } = memory;
    const story = {
      during,
      next: 'continue',
      delayMs: 0,
      expected,
      resourceVersion,
    } as const;
    this.#report(error, 'remark', story, plan);
  }

  #report(error: unknown, kind: string, story: Story, plan: string): void {
    const { name, runtime, logger, onError } = this.#options;
    const repetition = this.#repeated.note(kind, error, runtime.monotonicMs());
    const { repeated, worthLogging, leftOut } = repetition;
    const { server, text } = failureLine(error);
    const again =
      leftOut > 0 && worthLogging ? ` ${leftOut} of the same kind were not logged.` : '';
    const then = text.endsWith('?') ? ' It' : '; it';
    const message = `reflector ${name}${server}: ${text}${then} ${plan}.${again}`;
    if (onError !== undefined) {
      const context: ReflectorErrorContext = { name, ...story, repeated, worthLogging, message };
      this.#guard('onError', () => onError(error, context));
    } else if (worthLogging) {
      const { during, delayMs } = story;
      const fields = { reflector: name, during, delayMs, problem: message, error };
      logger[story.expected ? 'debug' : 'warn']('watch failed', fields);
    }
  }

  #guard(hook: string, call: () => unknown): void {
    const { name, logger } = this.#options;
    runHook(logger, hook, call, { reflector: name });
  }
}

/** Compacted history and servers without streaming lists are expected in normal operation. */
function isExpected(error: unknown, from: ReflectorState, state: ReflectorState): boolean {
  const { kind } = classifyFailure(error);
  if (kind === 'expired' || kind === 'gone')
    return from.name === 'watching' || state.name !== 'backing-off';
  // Another request follows at once; if it is refused too, the reflector fails with that error.
  if ((kind === 'invalid' || kind === 'unsupported') && state.name === 'listing') return true;
  return from.name === 'streaming-list' && kind === 'invalid';
}
