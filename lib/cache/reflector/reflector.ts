import { deriveAbort, onAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { sleep } from '../../kernel/wait.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { BookmarkEvent, WatchEvent } from '../../meta/watch-event.ts';
import { applyBatch } from './contract/event-batch.ts';
import { initialEventsEnd } from './contract/initial-events-end.ts';
import { listPage } from './list/list-page.ts';
import { PageSequence } from './list/page-sequence.ts';
import type { ItemsTaker, ListPage } from './contract/lister-watcher.ts';
import { OpenWatch } from './watch/open-watch.ts';
import { ReflectorObserver } from './reflector-observer.ts';
import { ReflectorPace } from './reflector-pace.ts';
import type { ChangeSink } from './contract/reflector-sink.ts';
import {
  resolveReflectorOptions,
  type ReflectorOptions,
  type ResolvedReflectorOptions,
} from './options/reflector-options.ts';
import {
  initialState,
  listRequest,
  type AnchoringState,
  type AskingState,
  type ListingState,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
  type StreamLife,
  type StreamingListState,
  type WatchingState,
} from './table/reflector-state.ts';
import { step } from './table/reflector-step.ts';
import { startResync } from './resync-timer.ts';
import { RetryWithDeadline } from './retry-with-deadline.ts';
import { waitForRoom } from './list/sink-room.ts';
import { SinkRelist } from './list/sink-relist.ts';
import { rejectTable } from './failure/table-object.ts';
import { malformedBookmark } from './failure/malformed-bookmark.ts';
import type { StreamOrder } from './watch/stream-order.ts';
import { classifyFailure } from './failure/watch-error.ts';

/** A minute without an internal error begins a new row of them (client-go reflector.go watch @ 32ce75a7). */
const INTERNAL_ERRORS_RESET_MS = 60_000;

/** An input together with the error it came from. */
interface Outcome {
  readonly input: ReflectorInput;
  readonly error?: unknown;
}

/** The result of the effects of a step. */
interface Performed {
  items: number | undefined;
  report: Extract<ReflectorEffect, { type: 'report' }> | undefined;
  close: boolean;
}

/**
 * Follows one collection: lists it, hands the list to the sink, watches from there, and does what is right after every
 * kind of failure, until it is stopped.
 *
 * It performs what `reflector-step.ts` decides: the state says what to wait for, `step` says what follows from it.
 *
 * Guarantees:
 * - The sink sees one relist a list, then every change after it, in order; after a gap it sees a relist again. Each relist is
 *   committed, or discarded as soon as its list has failed.
 * - It is never taken back in time by a replayed or repeated event, nor by an older list, unless the server no longer has
 *   what was seen: then a list of the server's most recent state replaces it.
 * - A collection whose list takes longer than the server's history lasts is followed all the same, after two attempts.
 * - A failure is followed by a wait that grows, or by a different request; never by the same request at once.
 * - Every error reaches `onError` together with what happens next.
 *
 * Not guaranteed: that the sink sees every state an object had; changes between two lists collapse.
 */
export class Reflector<V extends HasMetadata> {
  readonly #options: ResolvedReflectorOptions<V>;
  readonly #pace: ReflectorPace;
  readonly #internalErrors: RetryWithDeadline;
  readonly #observer: ReflectorObserver;
  readonly #relist: SinkRelist<V>;
  #state: ReflectorState;
  /** Where the watch has come to since `#state`; one step of the table for all batches until the state is read. */
  #progress: string | undefined;
  #enteredAtMs = 0;
  /** Of the wait that is on. */
  #waitMs = 0;
  #running = false;
  readonly #pages = new PageSequence();
  #page: ListPage<V> | undefined;
  #watch: OpenWatch<V> | undefined;
  #staleEvents = 0;

  constructor(options: ReflectorOptions<V>) {
    this.#options = resolveReflectorOptions(options);
    const { runtime, backoff, pageSize, watchList, internalErrorRetryMs } = this.#options;
    this.#pace = new ReflectorPace(runtime, backoff, this.#options.listerWatcher.gate);
    this.#internalErrors = new RetryWithDeadline({
      runtime,
      maxRetryMs: internalErrorRetryMs,
      resetAfterMs: INTERNAL_ERRORS_RESET_MS,
    });
    this.#observer = new ReflectorObserver(this.#options);
    this.#relist = new SinkRelist(this.#options);
    this.#state = initialState({ pageSize, watchList });
  }

  get name(): string {
    return this.#options.name;
  }

  /** The newest resource version the sink has been given; empty before the first list is complete. */
  get lastSyncResourceVersion(): string {
    return this.state.memory.resourceVersion;
  }

  /** The state of the reflector, for inspection. */
  get state(): ReflectorState {
    const resourceVersion = this.#progress;
    if (resourceVersion !== undefined) {
      this.#progress = undefined;
      this.#state = step(this.#state, { type: 'progress', resourceVersion }).state;
    }
    return this.#state;
  }

  /** Whether a watch is open. */
  get connected(): boolean {
    return this.#watch?.accepted === true;
  }

  /** Why it does not ask the server, in words; undefined while the server answers, and for a source without a gate. */
  get waitingFor(): string | undefined {
    return this.connected ? undefined : this.#pace.waitingFor;
  }

  /** Events that were dropped, because they were not newer than what had been seen. */
  get staleEvents(): number {
    return this.#staleEvents;
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
        const outcome = await this.#wait(round.signal);
        if (!round.signal.aborted) {
          if (outcome !== undefined) this.#advanceOrFail(outcome);
        } else if (!signal.aborted) {
          this.#failSink(round.signal.reason);
          round = deriveAbort(signal);
        }
      }
      this.#advance({ type: 'abort' });
    } finally {
      stopResync();
      round.dispose();
      this.#relist.discard();
      this.#closeStream();
      this.#running = false;
    }
  }

  /** Waits for what the state waits for and says how that went; undefined when the step is taken already. */
  async #wait(signal: AbortSignal): Promise<Outcome | undefined> {
    const { state } = this;
    switch (state.name) {
      case 'listing':
        return await (state.overlapFrom === undefined
          ? this.#list(state, signal)
          : this.#listOverlapped(state, signal));
      case 'anchoring':
      case 'asking':
        return await this.#list(state, signal);
      case 'streaming-list':
      case 'watching':
        return await this.#follow(state, signal);
      case 'backing-off':
        // Rejects only when aborted, which the caller looks at first.
        await sleep(this.#options.runtime, this.#waitMs, { signal }).catch(() => {});
        return { input: { type: 'waited' } };
      case 'idle':
      case 'stopped':
        throw new ListwatchError(
          'ASSERTION',
          `a reflector that is ${state.name} waits for nothing`,
        );
    }
  }

  async #list(
    state: ListingState | AnchoringState | AskingState,
    signal: AbortSignal,
  ): Promise<Outcome> {
    let sinkError: { readonly error: unknown } | undefined;
    const add: ItemsTaker<V> = (items) => {
      try {
        this.#relist.add(items);
      } catch (error) {
        sinkError = { error };
        throw error;
      }
      return this.#waitForRoom(this.#relist, signal);
    };
    try {
      const room = this.#waitForRoom(this.#relist, signal);
      if (room !== undefined) await room;
      await this.#pace.turn(signal);
      const onItems = state.name === 'listing' ? add : undefined;
      this.#page = await listPage(this.#options, listRequest(state), signal, onItems);
      this.#pages.check(state.name === 'listing' ? state : {}, this.#page, this.name);
      this.#observer.skipped(this.#page.skippedItems, this.state);
      const { resourceVersion, continueToken } = this.#page;
      return { input: { type: 'page', resourceVersion, continueToken } };
    } catch (error) {
      const type = sinkError === undefined ? 'list-failed' : 'sink-failed';
      return { input: { type, failure: classifyFailure(error) }, error };
    }
  }

  /** Asks for a page while a watch is open beside the list; opens that first. */
  async #listOverlapped(state: ListingState, signal: AbortSignal): Promise<Outcome> {
    let watch = this.#watch;
    try {
      watch ??= await this.#open(state, signal);
    } catch (error) {
      return this.#refused(error);
    }
    const { broken } = watch;
    const page = deriveAbort(signal);
    const release = onAbort(broken, () => {
      page.abort(broken?.reason);
    });
    try {
      const outcome = await this.#list(state, page.signal);
      return broken?.aborted === true ? this.#failed(watch, broken.reason) : outcome;
    } finally {
      release();
      page.dispose();
    }
  }

  /** Opens the stream unless it is open, and feeds the sink from it until it ends. */
  async #follow(
    state: StreamingListState | WatchingState,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    let watch = this.#watch;
    try {
      watch ??= await this.#open(state, signal);
    } catch (error) {
      return this.#refused(error);
    }
    for (;;) {
      let batch: readonly WatchEvent<V>[] | undefined;
      try {
        const room = this.#roomFor(watch, signal);
        if (room !== undefined) await room;
        batch = await watch.read();
        if (batch !== undefined && watch.events === batch.length) this.#checkFirst(batch[0]);
      } catch (error) {
        return this.#failed(watch, error);
      }
      if (batch === undefined) {
        const life = this.#lifeOf(watch);
        this.#closeStream();
        return { input: { type: 'stream-ended', ...life } };
      }
      let failure: ListwatchError | undefined;
      try {
        failure = this.#consume(watch, batch);
      } catch (error) {
        return { input: { type: 'sink-failed', failure: classifyFailure(error) }, error };
      }
      if (failure !== undefined) return this.#failed(watch, failure);
      if (this.#watch !== watch) return undefined;
    }
  }

  async #open(
    state: StreamingListState | WatchingState | ListingState,
    signal: AbortSignal,
  ): Promise<OpenWatch<V>> {
    if (state.name !== 'listing') await this.#waitForRoom(this.#options.sink, signal);
    await this.#pace.turn(signal);
    const watch = new OpenWatch<V>({
      options: this.#options,
      state,
      signal,
      resourceVersion: () => {
        const { state: now } = this;
        return now.name === 'watching' && !now.unordered ? now.memory.resourceVersion : '';
      },
    });
    this.#watch = watch;
    await watch.open();
    return watch;
  }

  #refused(error: unknown): Outcome {
    this.#closeStream();
    const failure = classifyFailure(error);
    const retryInternal = failure.kind === 'internal' && this.#retriesInternal();
    return { input: { type: 'watch-refused', failure, retryInternal }, error };
  }

  #failed(watch: OpenWatch<V>, error: unknown): Outcome {
    const life = this.#lifeOf(watch);
    this.#closeStream();
    const failure = classifyFailure(error);
    const retryInternal = failure.kind === 'internal' && this.#retriesInternal();
    return { input: { type: 'stream-failed', failure, ...life, retryInternal }, error };
  }

  #lifeOf({ ageMs: durationMs, events }: OpenWatch<V>): StreamLife {
    return { durationMs, events, delayMs: this.#pace.presentMs };
  }

  #retriesInternal(): boolean {
    this.#internalErrors.after();
    return this.#internalErrors.shouldRetry();
  }

  /** For the next batch: in the sink, or in the list that a streaming list brings. */
  #roomFor(watch: OpenWatch<V>, signal: AbortSignal): Promise<void> | undefined {
    if (this.#state.name === 'watching') return this.#waitForRoom(this.#options.sink, signal);
    const room = this.#waitForRoom(this.#relist, signal);
    if (room !== undefined) watch.pauseWhile(room);
    return room;
  }

  #waitForRoom(
    sink: Pick<ChangeSink<V>, 'waitForRoom'>,
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const room = sink.waitForRoom?.();
    return room === undefined ? undefined : waitForRoom(room, signal, this.#options);
  }

  #checkFirst(event: WatchEvent<V> | undefined): void {
    if (event !== undefined && event.type !== 'BOOKMARK') rejectTable(event.object, this.name);
  }

  /** Hands a batch over; returns why the stream cannot go on, if so. Throws what the sink throws. */
  #consume(watch: OpenWatch<V>, batch: readonly WatchEvent<V>[]): ListwatchError | undefined {
    if (this.#state.name === 'watching') return this.#apply(watch, this.#state, batch);
    const end = initialEventsEnd(batch);
    if (end !== 0) this.#relist.apply(end < 0 ? batch : batch.slice(0, end));
    if (end < 0) return undefined;
    const { resourceVersion } = batch[end] as BookmarkEvent;
    if (typeof resourceVersion !== 'string') return malformedBookmark(this.name);
    this.#advance({ type: 'initial-events-end', resourceVersion });
    const after = this.state;
    return after.name === 'watching' && batch.length > end + 1
      ? this.#apply(watch, after, batch.slice(end + 1))
      : undefined;
  }

  #apply(
    watch: OpenWatch<V>,
    state: WatchingState,
    batch: readonly WatchEvent<V>[],
  ): ListwatchError | undefined {
    const order = watch.order(state);
    const droppedBefore = order.dropped;
    const fresh = order.take(batch);
    applyBatch(this.#options.sink, fresh);
    if (fresh.length > 0) this.#progress = order.newest;
    if (fresh.length === batch.length) return undefined;
    if (order.malformed) return malformedBookmark(this.name);
    this.#reportStale(order, droppedBefore);
    if (order.wentBackTo === undefined) return undefined;
    const text = `the watch of ${this.name} is at resource version ${order.wentBackTo}, behind ${order.newest} that was seen`;
    return new ListwatchError('RESOURCE_VERSION_WENT_BACK', text);
  }

  /** Counts every event that was dropped, and tells about the first ones of a stream. */
  #reportStale({ dropped, newest }: StreamOrder<V>, droppedBefore: number): void {
    if (dropped === droppedBefore) return;
    this.#staleEvents += dropped - droppedBefore;
    const { metrics, name } = this.#options;
    metrics.count('listwatch_reflector_stale_events_total', dropped - droppedBefore, { name });
    if (droppedBefore > 0) return;
    this.#observer.stale(newest, this.state);
  }

  #failSink(error: unknown): void {
    this.#advance({ type: 'sink-failed', failure: classifyFailure(error) }, error);
  }

  #advanceOrFail({ input, error }: Outcome): void {
    try {
      this.#advance(input, error);
    } catch (sinkError) {
      this.#failSink(sinkError);
    }
  }

  /**
   * Takes one step of the table. When the sink throws at a replace, so does this, and the step did not happen. A step that
   * neither goes on with the list nor hands it over gives it up.
   */
  #advance(input: ReflectorInput, error?: unknown): void {
    const from = this.state;
    const { state, effects, reason } = step(from, input);
    const { items, report, close } = this.#perform(effects);
    this.#state = state;
    const { runtime } = this.#options;
    const nowMs = runtime.monotonicMs();
    const durationMs = nowMs - this.#enteredAtMs;
    this.#enteredAtMs = nowMs;
    if (state.name === 'backing-off') this.#waitMs = this.#pace.next(state);
    const delayMs = state.name === 'backing-off' ? this.#waitMs : undefined;
    this.#observer.transition({
      from: from.name,
      to: state.name,
      reason,
      resourceVersion: state.memory.resourceVersion,
      durationMs,
      items,
      events: 'events' in input ? input.events : undefined,
      delayMs,
    });
    if (report !== undefined) {
      const told =
        report.code === undefined
          ? error
          : new ListwatchError(report.code, `${this.name}: ${reason}`);
      this.#observer.error(told, from, state, delayMs ?? 0);
    }
    if (close) this.#closeStream();
  }

  #perform(effects: readonly ReflectorEffect[]): Performed {
    const performed: Performed = { items: undefined, report: undefined, close: false };
    for (const effect of effects) {
      switch (effect.type) {
        case 'keep-page':
          performed.items = this.#keepPage();
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
        case 'reset-backoff':
          this.#pace.reset();
          break;
      }
    }
    this.#page = undefined;
    if (performed.items === undefined) this.#relist.discard();
    return performed;
  }

  /** Puts what is left in the page to what came of the list before; returns how much there is now. */
  #keepPage(): number {
    const { items = [] } = this.#page ?? {};
    if (items.length > 0) this.#relist.add(items);
    return this.#relist.taken;
  }

  /** Hands the list over; returns its size. */
  #replace(resourceVersion: string): number {
    this.#watch?.follow(resourceVersion);
    return this.#relist.commit(resourceVersion);
  }

  #closeStream(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }
}
