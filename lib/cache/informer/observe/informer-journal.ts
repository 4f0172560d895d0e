import type { EventEmitter } from 'eventemitter3';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';
import type { ErrorReporter } from './error-reporter.ts';
import { InformerEventEmitter } from './informer-event-emitter.ts';
import type { InformerEvents } from './informer-events.ts';
import type { InspectedError } from './informer-inspection.ts';
import { WatchTime } from './watch-time.ts';

export interface InformerJournalOptions {
  readonly runtime: Runtime;
  readonly errors: ErrorReporter;
  readonly onRelist: () => void;
}

/** The lifecycle of an informer: passes events to listeners and hooks, and keeps the counts for `inspect()`. */
export class InformerJournal {
  readonly events: EventEmitter<InformerEvents>;
  readonly watchTime: WatchTime = new WatchTime();
  readonly #runtime: Runtime;
  readonly #errors: ErrorReporter;
  readonly #onRelist: () => void;
  #lastError: { readonly message: string; readonly atMs: number } | undefined;
  #relists = 0;

  constructor({ runtime, errors, onRelist }: InformerJournalOptions) {
    this.#runtime = runtime;
    this.#errors = errors;
    this.#onRelist = onRelist;
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
    this.#errors.report(error, { source: 'watch', message }, worthLogging);
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
        this.#onRelist();
        this.events.emit('relist', { resourceVersion, items });
      }
      again = true;
    };
  }
}
