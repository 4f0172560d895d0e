import { errorMessage } from '../../kernel/errors.ts';
import { guardedCall } from '../../kernel/guarded-call.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import {
  describeNext,
  describePlan,
  type ReflectorErrorContext,
  type ReflectorTransition,
} from './reflector-report.ts';
import type { ReflectorState } from './reflector-state.ts';
import { classifyFailure, remedyOf } from './watch-error.ts';

export interface ReflectorObserverOptions {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onError?: ((error: unknown, context: ReflectorErrorContext) => void) | undefined;
  readonly onTransition?: ((transition: ReflectorTransition) => void) | undefined;
}

/** Tells hooks, logger and metrics what a reflector does. A hook that throws is logged and changes nothing. */
export class ReflectorObserver {
  readonly #options: ReflectorObserverOptions;

  constructor(options: ReflectorObserverOptions) {
    this.#options = options;
  }

  transition(transition: Omit<ReflectorTransition, 'name'>): void {
    const { name, logger, metrics, onTransition } = this.#options;
    const { from, to, reason, durationMs, items, events } = transition;
    logger.debug(`reflector ${name}: ${from} -> ${to}: ${reason}`, { ...transition });
    metrics.count('listwatch_reflector_transitions_total', 1, { name, from, to });
    if (from === 'listing' || from === 'streaming-list') {
      metrics.observe('listwatch_reflector_list_duration_ms', durationMs, { name });
      if (to === 'watching')
        metrics.gauge('listwatch_reflector_listed_items', items ?? 0, { name });
    }
    if (events !== undefined) metrics.observe('listwatch_reflector_watch_events', events, { name });
    if (onTransition === undefined) return;
    this.#guard('onTransition', () => onTransition({ name, ...transition }));
  }

  /** An error after which the reflector goes on in `state`, once `delayMs` have passed. */
  error(error: unknown, from: ReflectorState, state: ReflectorState, delayMs: number): void {
    this.#report(error, {
      during: from.name,
      next: describeNext(state).next,
      delayMs,
      expected: isExpected(error, from, state),
      resourceVersion: state.memory.resourceVersion,
      plan: describePlan(state, delayMs),
    });
  }

  #report(
    error: unknown,
    { plan, ...context }: Omit<ReflectorErrorContext, 'name' | 'message'> & { plan: string },
  ): void {
    const { name, logger, metrics, onError } = this.#options;
    const remedy = remedyOf(error);
    const message = `reflector ${name}: ${errorMessage(error)}; it ${plan}.${remedy === '' ? '' : ` ${remedy}`}`;
    metrics.count('listwatch_reflector_errors_total', 1, {
      name,
      kind: classifyFailure(error).kind,
    });
    if (onError === undefined) {
      logger[context.expected ? 'debug' : 'warn'](message, { error });
      return;
    }
    this.#guard('onError', () => onError(error, { name, ...context, message }));
  }

  #guard(hook: string, call: () => unknown): void {
    const { name, logger } = this.#options;
    guardedCall(call, (error) => {
      logger.error(`reflector ${name}: the hook ${hook} threw: ${errorMessage(error)}`, { error });
    });
  }
}

/** History that was compacted and servers without streaming lists are part of normal life. */
function isExpected(error: unknown, from: ReflectorState, state: ReflectorState): boolean {
  const { kind } = classifyFailure(error);
  if (kind === 'expired' || kind === 'gone')
    return from.name === 'watching' || state.name !== 'backing-off';
  return from.name === 'streaming-list' && kind === 'invalid';
}
