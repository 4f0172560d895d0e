import type { Client } from '../../client/rest/client.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { randomText } from '../../kernel/time/random.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { isApiError } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { coreApi, eventsApi, type EventApiVersion } from './event-body.ts';
import { type EventCorrelator, KEPT } from './event-correlator.ts';
import { EventCounts } from './event-counts.ts';
import type { EventEntry } from './event-entry.ts';
import { eventFact, identity, type EventFact } from './event-fact.ts';
import { EventSeries } from './event-series.ts';
import type { EventSink, NewEvent } from './event-sink.ts';
import { EventWriter } from './event-writer.ts';
import { LRUCache } from 'lru-cache';

export interface EventRecorderOptions {
  /** The reporter, e.g. `site-operator`. Characters that the server refuses become `-`. */
  readonly controller: string;
  /** Which replica reports; in a pod, its name. @defaultValue the controller with five random characters */
  readonly instance?: string | undefined;
  /** `v1` for programs that read counts in place of series. @defaultValue 'events.k8s.io/v1' */
  readonly api?: EventApiVersion | undefined;
  /** Longest wait of `close` for events that are not written, milliseconds. @defaultValue 5000 */
  readonly closeTimeoutMs?: number | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

/**
 * Why an event was not written: the queue was full; there were too many about one object; the server refused it; the server was not
 * reached; the call was wrong; the recorder was closed before.
 */
export type EventDrop = 'queue' | 'spam' | 'refused' | 'unreachable' | 'invalid' | 'closed';

/** The counts of a recorder since its start. */
export interface EventRecorderInspection {
  /** Calls of `event`. */
  readonly recorded: number;
  /** Writes that succeeded: new events, and events that were seen again. */
  readonly written: number;
  /** Events that wait, or are being written. */
  readonly waiting: number;
  readonly dropped: Readonly<Record<EventDrop, number>>;
}

export interface FlushOptions {
  /** @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const OWNER = 'EventRecorder';
const OPTIONS = optionsOf<EventRecorderOptions>()(OWNER, {
  controller: is.text().required,
  instance: is.text(),
  api: is.oneOf('events.k8s.io/v1', 'v1').default('events.k8s.io/v1'),
  closeTimeoutMs: is.number({ min: 0 }).default(5000),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});
const FLUSH_TIMEOUT_MS = 30_000;
const LONGEST_NAME = 63;

/**
 * Reports events of objects, as `kubectl describe` and `kubectl events` show them. One recorder serves all controllers of a program.
 *
 * | what comes | what the server gets |
 * |---|---|
 * | the first occurrence | a new event |
 * | the second, with any note | the event as a series with its count |
 * | further ones | the count, every 30 minutes, and when none came for 6 minutes |
 * | more than 25 writes about one object | one every 5 minutes, for each type |
 *
 * With `api: 'v1'` the count is written at each occurrence, events with another note are events of their own, and from ten notes
 * within ten minutes on they are combined into one.
 *
 * Guarantees: `event` returns at once, and never throws. Memory is bounded: 4096 events, and 1000 that wait. Dropped events are counted
 * in `inspect()`, and the first one of each reason is logged.
 *
 * The user needs the verbs `create` and `patch` for events, also in the namespace `default`, for objects without a namespace.
 *
 * @example
 * await using events = new EventRecorder(client, { controller: 'site-operator' });
 * events.event(site, { reason: 'Published', note: 'the page is there' });
 */
export class EventRecorder implements EventSink, AsyncDisposable {
  readonly controller: string;
  readonly instance: string;
  readonly #runtime: Runtime;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #closeTimeoutMs: number;
  readonly #correlator: EventCorrelator;
  readonly #spam: SpamFilter;
  readonly #writer: EventWriter;
  readonly #dropped: Record<EventDrop, number> = {
    queue: 0,
    spam: 0,
    refused: 0,
    unreachable: 0,
    invalid: 0,
    closed: 0,
  };
  #recorded = 0;
  #written = 0;
  #timer: Timer | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client, options: EventRecorderOptions) {
    requireClient('EventRecorder', client, 'resource');
    const { controller, instance, api, closeTimeoutMs, runtime, logger } = OPTIONS.read(options);
    this.controller = reporterName(controller);
    const suffix = randomText(runtime, 5, '0123456789abcdef');
    this.instance = instance ?? `${this.controller}-${suffix}`;
    this.#runtime = runtime;
    this.#logger = guardedLogger(logger);
    this.#closeTimeoutMs = closeTimeoutMs;
    this.#correlator =
      api === 'v1'
        ? new EventCounts(runtime)
        : new EventSeries(runtime, (entry) => this.#write(entry));
    this.#spam = new SpamFilter(runtime);
    this.#writer = new EventWriter({
      client,
      api: api === 'v1' ? coreApi : eventsApi,
      reporter: { controller: this.controller, instance: this.instance },
      runtime,
      onWritten: () => {
        this.#written += 1;
      },
      onFailed: (entry, error) => {
        this.#failed(entry, error);
      },
    });
  }

  event(object: KubernetesObject, event: NewEvent): void {
    this.#recorded += 1;
    if (this.#closing !== undefined) {
      this.#drop('closed', 'the recorder is closed: close it after the controllers that use it');
      return;
    }
    try {
      this.#observe(object, event);
    } catch (error) {
      this.#drop('invalid', errorMessage(error));
    }
  }

  /** The counts at this moment. */
  inspect(): EventRecorderInspection {
    return {
      recorded: this.#recorded,
      written: this.#written,
      waiting: this.#writer.size,
      dropped: { ...this.#dropped },
    };
  }

  /**
   * Resolves when everything is written that has to be written by now.
   * @throws {ListwatchError} code TIMEOUT with the number of events that are not written.
   */
  async flush({ timeoutMs = FLUSH_TIMEOUT_MS, signal }: FlushOptions = {}): Promise<void> {
    await this.#writer.flush(timeoutMs, signal);
  }

  /** Writes the last counts of series and what waits, for at most `closeTimeoutMs`; never rejects. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #observe(object: KubernetesObject, event: NewEvent): void {
    const fact = eventFact(object, event);
    const { entry, write } = this.#correlator.observe(fact);
    this.#plan();
    if (!write) return;
    if (this.#spam.allows(fact)) {
      this.#write(entry);
      return;
    }
    if (!entry.stored) this.#correlator.lost(entry);
    const { kind, name } = fact.regarding;
    const text = `too many events about ${kind} ${name}: after 25, one in 5 minutes is written`;
    this.#drop('spam', text);
  }

  #write(entry: EventEntry): void {
    if (this.#writer.add(entry)) return;
    if (!entry.stored) this.#correlator.lost(entry);
    this.#drop('queue', '1000 events wait already: the server is slow, or not reached');
  }

  #failed(entry: EventEntry, error: unknown): void {
    if (!entry.stored) this.#correlator.lost(entry);
    const { kind, name } = entry.fact.regarding;
    const text = `an event about ${kind} ${name} was not written: ${errorMessage(error)}`;
    this.#drop(isApiError(error) ? 'refused' : 'unreachable', text);
  }

  #drop(reason: EventDrop, text: string): void {
    this.#dropped[reason] += 1;
    if (this.#dropped[reason] > 1) return;
    this.#logger.warn('event dropped; further ones are only counted, in inspect().dropped', {
      controller: this.controller,
      reason,
      problem: text,
    });
  }

  /** The timer is in the background: a program may end while a series goes on, and `close` writes its count. */
  #plan(): void {
    const { periodMs } = this.#correlator;
    if (periodMs === undefined || this.#timer !== undefined) return;
    const tick = (): void => {
      for (const entry of this.#correlator.due()) this.#write(entry);
      this.#timer = this.#runtime.setTimer(periodMs, tick, { background: true });
    };
    this.#timer = this.#runtime.setTimer(periodMs, tick, { background: true });
  }

  async #close(): Promise<void> {
    this.#timer?.cancel();
    for (const entry of this.#correlator.unwritten()) this.#write(entry);
    try {
      await this.#writer.flush(this.#closeTimeoutMs);
    } catch {
      const lost = this.#writer.size;
      this.#dropped.unreachable += lost;
      this.#logger.warn('events were not written in time, and are lost', {
        controller: this.controller,
        lost,
        timeoutMs: this.#closeTimeoutMs,
      });
      this.#writer.abort();
    }
  }
}

/** A qualified name, which the server asks for. */
function reporterName(name: string): string {
  const prefixed = /^[^/]+\/[^/]+$/.test(name);
  const legal = name.replaceAll(prefixed ? /[^-A-Za-z0-9_./]/g : /[^-A-Za-z0-9_.]/g, '-');
  const trimmed = legal.slice(0, LONGEST_NAME).replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return trimmed === '' ? 'controller' : trimmed;
}

const BURST = 25;
const REFILL_MS = 300_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Limits the writes about one object: 25 at once, then one every 5 minutes, for each type of events.
 * @see client-go tools/record/events_cache.go
 */
class SpamFilter {
  readonly #runtime: Runtime;
  readonly #buckets = new LRUCache<string, Bucket>(KEPT);

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Takes a token, if there is one. */
  allows({ type, regarding }: EventFact): boolean {
    const key = JSON.stringify([type, identity(regarding)]);
    const nowMs = this.#runtime.monotonicMs();
    const { tokens, atMs } = this.#buckets.get(key) ?? { tokens: BURST, atMs: nowMs };
    const filled = Math.min(BURST, tokens + (nowMs - atMs) / REFILL_MS);
    const allowed = filled >= 1;
    this.#buckets.set(key, { tokens: allowed ? filled - 1 : filled, atMs: nowMs });
    return allowed;
  }
}
