import { deriveAbort } from '../../kernel/abort.ts';
import { Backoff } from '../../kernel/backoff.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import type { Timer } from '../../kernel/runtime.ts';
import { sleep, withDeadline } from '../../kernel/wait.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { applyBatch, newestVersion } from './event-batch.ts';
import { InitialEvents } from './initial-events.ts';
import type { ListPage } from './lister-watcher.ts';
import { ReflectorObserver } from './reflector-observer.ts';
import {
  resolveReflectorOptions,
  type ReflectorOptions,
  type ResolvedReflectorOptions,
} from './reflector-options.ts';
import {
  initialState,
  listRequest,
  watchRequest,
  type ListingState,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
} from './reflector-state.ts';
import { step } from './reflector-step.ts';
import { startResync } from './resync-timer.ts';
import { waitForRoom } from './sink-room.ts';
import { rejectTable } from './table-object.ts';
import { classifyFailure } from './watch-error.ts';
import { WatchReader } from './watch-reader.ts';

/** A server may not silence a reflector for longer than this, milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/** An input together with the error it came from. */
interface Outcome {
  readonly input: ReflectorInput;
  readonly error?: unknown;
}

/** What the effects of a step came to. */
interface Performed {
  items: number | undefined;
  report: Extract<ReflectorEffect, { type: 'report' }> | undefined;
  close: boolean;
}

/**
 * Follows one collection: lists it, hands the list to the sink, watches from there, and does what is right after every
 * kind of failure, until it is told to stop.
 *
 * It performs what `reflector-step.ts` decides: the state says what to wait for, `step` says what follows from it.
 *
 * Guarantees:
 * - The sink sees one `replace` a list, then every change after it, in order; after a gap it sees a `replace` again.
 * - A list never goes back behind what was seen, unless the server refuses that version.
 * - A failure is followed by a wait that grows, or by a different request; never by the same request at once.
 * - Every error reaches `onError` together with what happens next.
 *
 * Not guaranteed: that the sink sees every state an object had; changes between two lists collapse.
 */
export class Reflector<V extends HasMetadata> {
  readonly #options: ResolvedReflectorOptions<V>;
  readonly #backoff: Backoff;
  readonly #observer: ReflectorObserver;
  #state: ReflectorState;
  #enteredAtMs = 0;
  #delayMs = 0;
  #running = false;
  #page: ListPage<V> | undefined;
  #pages: (readonly V[])[] = [];
  #initial: InitialEvents<V> | undefined;
  #reader: WatchReader<V> | undefined;
  #bookmarkDeadline: Timer | undefined;

  constructor(options: ReflectorOptions<V>) {
    this.#options = resolveReflectorOptions(options);
    const { runtime, backoff, pageSize, watchList } = this.#options;
    this.#backoff = new Backoff(runtime, backoff);
    this.#observer = new ReflectorObserver(this.#options);
    this.#state = initialState({ pageSize, watchList });
  }

  get name(): string {
    return this.#options.name;
  }

  /** The newest resource version the sink has been given; empty before the first list is complete. */
  get lastSyncResourceVersion(): string {
    return this.#state.memory.resourceVersion;
  }

  /** What the reflector is doing, for inspection. */
  get state(): ReflectorState {
    return this.#state;
  }

  /**
   * Runs until the signal aborts; then resolves, with the stream closed and no timer left. No error of the source, the sink
   * or a hook makes it reject. A reflector that has stopped may run again and goes on where it stopped.
   * @throws {ListwatchError} code ALREADY_STARTED while it runs.
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#running) {
      throw new ListwatchError('ALREADY_STARTED', `reflector ${this.name} is running`);
    }
    this.#running = true;
    this.#enteredAtMs = this.#options.runtime.monotonicMs();
    let round = deriveAbort(signal);
    const stopResync = startResync(this.#options, (error) => {
      round.abort(error);
    });
    try {
      this.#advance({ type: 'start' });
      while (!signal.aborted) {
        const { input, error } = await this.#wait(round.signal);
        if (!round.signal.aborted) {
          this.#advanceOrFail(input, error);
        } else if (!signal.aborted) {
          this.#failSink(round.signal.reason);
          round = deriveAbort(signal);
        }
      }
      this.#advance({ type: 'abort' });
    } finally {
      stopResync();
      round.dispose();
      this.#closeStream();
      this.#running = false;
    }
  }

  /** Waits for what the state waits for and says how that went. */
  async #wait(signal: AbortSignal): Promise<Outcome> {
    const state = this.#state;
    switch (state.name) {
      case 'listing':
        return await this.#list(state, signal);
      case 'streaming-list':
      case 'watching':
        return await this.#follow(signal);
      case 'backing-off':
        // Rejects only when aborted, which the caller looks at first.
        await sleep(this.#options.runtime, this.#delayMs, { signal }).catch(() => {});
        return { input: { type: 'waited' } };
      case 'idle':
      case 'stopped':
        throw new ListwatchError(
          'ASSERTION',
          `a reflector that is ${state.name} waits for nothing`,
        );
    }
  }

  async #list(state: ListingState, signal: AbortSignal): Promise<Outcome> {
    const { listerWatcher, runtime, listTimeoutMs, name } = this.#options;
    if (state.continueToken === undefined) this.#pages = [];
    const request = deriveAbort(signal);
    try {
      const page = await withDeadline(
        runtime,
        (async (): Promise<ListPage<V>> =>
          await listerWatcher.list({ ...listRequest(state), signal: request.signal }))(),
        { timeoutMs: listTimeoutMs, signal, describe: () => `a page of the list of ${name}` },
      );
      rejectTable(page.items[0], name);
      const { resourceVersion, continueToken } = page;
      if (continueToken !== undefined && continueToken === state.continueToken) {
        throw new ListwatchError(
          'MALFORMED_RESPONSE',
          `the list of ${name} goes round in a circle: a page names itself as the next one`,
        );
      }
      this.#page = page;
      return { input: { type: 'page', resourceVersion, continueToken } };
    } catch (error) {
      request.abort(error);
      return { input: { type: 'list-failed', failure: classifyFailure(error) }, error };
    } finally {
      request.dispose();
    }
  }

  /** Opens the stream unless it is open, and feeds the sink from it until it ends. */
  async #follow(signal: AbortSignal): Promise<Outcome> {
    let reader = this.#reader;
    try {
      reader ??= await this.#open(signal);
    } catch (error) {
      this.#closeStream();
      return { input: { type: 'watch-refused', failure: classifyFailure(error) }, error };
    }
    for (;;) {
      let batch: readonly WatchEvent<V>[] | undefined;
      try {
        const room = this.#state.name === 'watching' ? this.#waitForRoom(signal) : undefined;
        if (room !== undefined) await room;
        batch = await reader.read();
        if (batch !== undefined && reader.events === batch.length) this.#checkFirst(batch[0]);
      } catch (error) {
        const { ageMs: durationMs, events } = reader;
        this.#closeStream();
        const failure = classifyFailure(error);
        return { input: { type: 'stream-failed', failure, durationMs, events }, error };
      }
      if (batch === undefined) {
        const { ageMs: durationMs, events } = reader;
        this.#closeStream();
        return { input: { type: 'stream-ended', durationMs, events } };
      }
      try {
        this.#consume(batch);
      } catch (error) {
        return { input: { type: 'sink-failed', failure: classifyFailure(error) }, error };
      }
    }
  }

  async #open(signal: AbortSignal): Promise<WatchReader<V>> {
    const state = this.#state;
    if (state.name !== 'watching' && state.name !== 'streaming-list') {
      throw new ListwatchError('ASSERTION', `a reflector that is ${state.name} opens no watch`);
    }
    const {
      runtime,
      listerWatcher,
      minWatchTimeoutMs,
      idleTimeoutMs,
      watchListTimeoutMs,
      keyFunc,
      name,
    } = this.#options;
    await this.#waitForRoom(signal);
    const timeoutSeconds = Math.floor((minWatchTimeoutMs * (1 + runtime.random())) / 1000);
    const request = { ...watchRequest(state), timeoutSeconds };
    const reader = new WatchReader({ runtime, listerWatcher, request, signal, idleTimeoutMs });
    this.#reader = reader;
    if (state.name === 'streaming-list') {
      this.#initial = new InitialEvents(keyFunc);
      this.#bookmarkDeadline = runtime.setTimer(watchListTimeoutMs, () => {
        reader.interrupt(
          new ListwatchError(
            'WATCH_LIST_INCOMPLETE',
            `the streaming list of ${name} had no end bookmark after ${watchListTimeoutMs} ms`,
          ),
        );
      });
    }
    await reader.open();
    return reader;
  }

  #waitForRoom(signal: AbortSignal): Promise<void> | undefined {
    const room = this.#options.sink.waitForRoom?.();
    return room === undefined ? undefined : waitForRoom(room, signal, this.#options);
  }

  #checkFirst(event: WatchEvent<V> | undefined): void {
    if (event !== undefined && event.type !== 'BOOKMARK') rejectTable(event.object, this.name);
  }

  #consume(batch: readonly WatchEvent<V>[]): void {
    if (this.#state.name === 'watching') {
      this.#apply(batch, this.#state.unordered);
      return;
    }
    const found = this.#initial?.take(batch);
    if (found === undefined) return;
    this.#advance({ type: 'initial-events-end', resourceVersion: found.bookmark.resourceVersion });
    if (found.rest.length > 0) this.#apply(found.rest, false);
  }

  #apply(batch: readonly WatchEvent<V>[], unordered: boolean): void {
    applyBatch(this.#options.sink, batch);
    const resourceVersion = newestVersion(batch, unordered);
    this.#state = step(this.#state, { type: 'progress', resourceVersion }).state;
  }

  #failSink(error: unknown): void {
    this.#advance({ type: 'sink-failed', failure: classifyFailure(error) }, error);
  }

  #advanceOrFail(input: ReflectorInput, error: unknown): void {
    try {
      this.#advance(input, error);
    } catch (sinkError) {
      this.#failSink(sinkError);
    }
  }

  /** Takes one step of the table. When the sink throws at a replace, so does this, and the step did not happen. */
  #advance(input: ReflectorInput, error?: unknown): void {
    const from = this.#state;
    const { state, effects, reason } = step(from, input);
    const { items, report, close } = this.#perform(effects);
    this.#state = state;
    const { runtime } = this.#options;
    const nowMs = runtime.monotonicMs();
    const durationMs = nowMs - this.#enteredAtMs;
    this.#enteredAtMs = nowMs;
    this.#delayMs = state.name === 'backing-off' ? this.#nextDelayMs(state.retryAfterMs) : 0;
    this.#observer.transition({
      from: from.name,
      to: state.name,
      reason,
      resourceVersion: state.memory.resourceVersion,
      durationMs,
      items,
      events: 'events' in input ? input.events : undefined,
      delayMs: state.name === 'backing-off' ? this.#delayMs : undefined,
    });
    if (report !== undefined) {
      const told =
        report.code === undefined
          ? error
          : new ListwatchError(report.code, `${this.name}: ${reason}`);
      this.#observer.error(told, from, state, this.#delayMs);
    }
    if (close) this.#closeStream();
  }

  #perform(effects: readonly ReflectorEffect[]): Performed {
    const performed: Performed = { items: undefined, report: undefined, close: false };
    for (const effect of effects) {
      switch (effect.type) {
        case 'keep-page':
          if (this.#page !== undefined) this.#pages.push(this.#page.items);
          this.#page = undefined;
          performed.items = this.#pages.reduce((sum, { length }) => sum + length, 0);
          break;
        case 'replace':
          performed.items = this.#replace(effect.resourceVersion);
          break;
        case 'report':
          performed.report = effect;
          break;
        case 'close-stream':
          performed.close = true;
          break;
      }
    }
    return performed;
  }

  /** Hands the list to the sink and lets go of it; returns its size. */
  #replace(resourceVersion: string): number {
    const [first = [], ...more] = this.#pages;
    const listed = more.length === 0 ? first : this.#pages.flat();
    const items = this.#initial?.items() ?? listed;
    this.#pages = [];
    this.#initial = undefined;
    this.#bookmarkDeadline?.cancel();
    this.#options.sink.replace(items, resourceVersion);
    return items.length;
  }

  #nextDelayMs(retryAfterMs: number): number {
    const leastMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
    return Math.round(Math.max(this.#backoff.step(), leastMs));
  }

  #closeStream(): void {
    this.#bookmarkDeadline?.cancel();
    this.#bookmarkDeadline = undefined;
    this.#initial = undefined;
    this.#reader?.close();
    this.#reader = undefined;
  }
}
