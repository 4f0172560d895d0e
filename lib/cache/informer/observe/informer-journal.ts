import type { EventEmitter } from 'eventemitter3';
import { guardedMetrics } from '../../../kernel/report/guarded-metrics.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ResolvedInformerOptions } from '../options/informer-options.ts';
import { ErrorReporter } from './error-reporter.ts';
import { InformerEventEmitter, type InformerEvents } from './informer-event-emitter.ts';
import type { InformerInspection, InspectedError } from './informer-inspection.ts';
import { InformerMeter, type MeteredHandler } from './informer-meter.ts';

export interface InformerJournalOptions
  extends Pick<
    ResolvedInformerOptions<KubernetesObject>,
    'name' | 'runtime' | 'logger' | 'onError' | 'metrics'
  > {
  readonly inspect: () => InformerInspection;
  readonly handlers: () => Iterable<MeteredHandler>;
}

/** The reports of an informer: events for listeners, errors for hook or log, metrics, and the counts for `inspect()`. */
export class InformerJournal {
  readonly events: EventEmitter<InformerEvents>;
  readonly errors: ErrorReporter;
  readonly metrics: Metrics;
  /** Metering costs nothing without metrics. */
  readonly meter: InformerMeter | undefined;
  readonly watchTime: WatchTime = new WatchTime();
  readonly #runtime: Runtime;
  #lastError: { readonly message: string; readonly atMs: number } | undefined;
  #relists = 0;

  constructor({
    name,
    runtime,
    logger,
    onError,
    inspect,
    handlers,
    ...given
  }: InformerJournalOptions) {
    const errors = new ErrorReporter({ informer: name, logger, onError });
    const metrics = guardedMetrics(given.metrics, (error) => {
      errors.report(error, { source: 'metrics' });
    });
    this.#runtime = runtime;
    this.errors = errors;
    this.metrics = metrics;
    this.meter =
      metrics === silentMetrics
        ? undefined
        : new InformerMeter({ name, runtime, metrics, inspect, handlers });
    this.events = new InformerEventEmitter((error) => {
      errors.report(error, { source: 'listener' });
    });
  }

  /** Lists after the first one, because the history in between was lost. */
  get relists(): number {
    return this.#relists;
  }

  /** The last failed list or watch; expected failures are not counted. */
  get lastError(): InspectedError | undefined {
    if (this.#lastError === undefined) return undefined;
    const { message, atMs } = this.#lastError;
    return { message, ageMs: this.#runtime.monotonicMs() - atMs };
  }

  readonly watchError = (error: unknown, context: ReflectorErrorContext): void => {
    const { message, expected, worthLogging } = context;
    this.events.emit('watch-error', error, context);
    if (expected) return;
    this.#lastError = { message, atMs: this.#runtime.monotonicMs() };
    this.errors.report(error, { source: 'watch', message }, worthLogging);
  };

  /** Takes the transitions of one reflector. @param listed Whether it has listed the collection before. */
  transitions(listed: boolean): (transition: ReflectorTransition) => void {
    let again = listed;
    const clock = this.watchTime.clock();
    return (transition) => {
      const { from, to, items, resourceVersion } = transition;
      clock.note(transition, this.#runtime.monotonicMs());
      this.events.emit('transition', transition);
      if (to !== 'watching' || items === undefined) return;
      if (from !== 'listing' && from !== 'streaming-list') return;
      if (again) {
        this.#relists += 1;
        this.meter?.relisted();
        this.events.emit('relist', { resourceVersion, items });
      }
      again = true;
    };
  }
}

/**
 * How long the reflectors of an informer have followed watches. An informer that joins a running cache learns of its watch at the
 * next change of state; until then the time counts from the start of the informer.
 */
export class WatchTime {
  readonly #clocks = new Set<ReflectorClock>();
  #startedAtMs: number | undefined;

  /** The informer runs from now on. */
  start(nowMs: number): void {
    this.#startedAtMs ??= nowMs;
  }

  /** The clock of one more reflector. */
  clock(): ReflectorClock {
    const clock = new ReflectorClock(this.#startedAtMs ?? 0, () => {
      // A namespace that is left counts no more; the only reflector still reports what it did.
      if (this.#clocks.size > 1) this.#clocks.delete(clock);
    });
    this.#clocks.add(clock);
    return clock;
  }

  /** @param connected whether a watch is open: a reflector that watches may still be opening it */
  inspect(
    nowMs: number,
    connected: boolean,
  ): { readonly watchAgeMs?: number | undefined; readonly watchingShare: number } {
    const sinceMs = this.#startedAtMs;
    if (sinceMs === undefined) return { watchingShare: 0 };
    const spanMs = Math.max(nowMs - sinceMs, Number.MIN_VALUE);
    if (this.#clocks.size === 0) {
      return connected ? { watchAgeMs: nowMs - sinceMs, watchingShare: 1 } : { watchingShare: 0 };
    }
    const clocks = [...this.#clocks];
    const ages = clocks.map((clock) => clock.ageMs(nowMs));
    const watched = clocks.reduce((sum, clock) => sum + clock.watchedMs(nowMs), 0);
    return {
      ...(ages.includes(undefined) || !connected
        ? {}
        : { watchAgeMs: Math.min(...(ages as number[])) }),
      watchingShare: Math.min(1, watched / clocks.length / spanMs),
    };
  }
}

/** The watches of one reflector. */
class ReflectorClock {
  readonly #countsFromMs: number;
  readonly #onStopped: () => void;
  #watchedMs = 0;
  #sinceMs: number | undefined;

  constructor(countsFromMs: number, onStopped: () => void) {
    this.#countsFromMs = countsFromMs;
    this.#onStopped = onStopped;
  }

  note({ from, to, durationMs }: ReflectorTransition, nowMs: number): void {
    if (from === 'watching') {
      this.#watchedMs += Math.min(durationMs, nowMs - this.#countsFromMs);
    }
    this.#sinceMs = to === 'watching' ? nowMs : undefined;
    if (to === 'stopped') this.#onStopped();
  }

  ageMs(nowMs: number): number | undefined {
    return this.#sinceMs === undefined ? undefined : nowMs - this.#sinceMs;
  }

  watchedMs(nowMs: number): number {
    return this.#watchedMs + (this.ageMs(nowMs) ?? 0);
  }
}
