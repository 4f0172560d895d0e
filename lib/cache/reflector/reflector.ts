import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { BookmarkEvent, WatchEvent } from '../../meta/watch-event.ts';
import { applyBatch, initialEventsEnd, malformedBookmark } from './contract/event-batch.ts';
import { listPage, PageSequence } from './list/list-page.ts';
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
  type ReadingVersionState,
  type ProbingState,
  type ListingState,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
  type StreamingListState,
  type WatchingState,
} from './table/reflector-state.ts';
import { step } from './table/reflector-step.ts';
import { startResync } from './resync-timer.ts';
import { StreamEnds, type Outcome } from './stream-ends.ts';
import { waitForRoom, SinkRelist } from './list/sink-relist.ts';
import { rejectTable } from './failure/table-object.ts';
import type { StreamOrder } from './watch/stream-order.ts';
import { classifyFailure } from './failure/watch-error.ts';

/** The result of the effects of a step. */
interface Performed {
  items: number | undefined;
  report: Extract<ReflectorEffect, { type: 'report' }> | undefined;
  close: boolean;
}

/**
 * Follows one collection until it is stopped: lists it, passes the list to the sink, watches from the version of the list, and
 * recovers from every kind of failure.
 *
 * It executes the table of `reflector-step.ts`: the state determines the wait, and `step` determines the next state and the
 * effects.
 *
 * Guarantees:
 * - The sink gets one relist for each list, then every change after it, in order; after a gap it gets a relist again. Each
 *   relist is committed, or discarded as soon as its list has failed.
 * - A replayed or repeated event, or an older list, never sets the sink back to an older state. The exception is a server that
 *   was restored to an older state: then a list of its most recent state replaces the content.
 * - A collection whose list takes longer than the server keeps its history can still be followed, after two attempts.
 * - After a failure there is a growing wait, or a different request; the same request is never sent again at once.
 * - Every error reaches `onError` together with the next operation.
 *
 * Not guaranteed: that the sink sees every state of an object; changes between two lists are merged.
 */
export class Reflector<V extends HasMetadata> {
  readonly #options: ResolvedReflectorOptions<V>;
  readonly #pace: ReflectorPace;
  readonly #ends: StreamEnds;
  readonly #observer: ReflectorObserver;
  readonly #relist: SinkRelist<V>;
  #state: ReflectorState;
  /** The progress of the watch since `#state`. All batches until the state is read are one step of the table. */
  #progress: string | undefined;
  #enteredAtMs = 0;
  /** Belongs to the present wait. */
  #waitMs = 0;
  #running = false;
  readonly #pages = new PageSequence();
  #page: ListPage<V> | undefined;
  #watch: OpenWatch<V> | undefined;
  #staleEvents = 0;
  #refusal: unknown;

  constructor(options: ReflectorOptions<V>) {
    this.#options = resolveReflectorOptions(options);
    const { runtime, backoff, settings, resumeFrom, internalErrorRetryMs } = this.#options;
    this.#pace = new ReflectorPace(runtime, backoff, this.#options.listerWatcher.supports?.gate);
    this.#ends = new StreamEnds({ runtime, pace: this.#pace, internalErrorRetryMs });
    this.#observer = new ReflectorObserver(this.#options);
    this.#relist = new SinkRelist(this.#options);
    this.#state = initialState(settings, resumeFrom);
  }

  get name(): string {
    return this.#options.name;
  }

  /** The newest resource version passed to the sink; empty before the first list is complete. */
  get lastSyncResourceVersion(): string {
    return this.state.memory.resourceVersion;
  }

  /** The state of the reflector, for inspection. @internal */
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

  /** The reason why requests wait, as text; undefined while the server answers, and for a source without a gate. */
  get waitingFor(): string | undefined {
    return this.connected ? undefined : this.#pace.waitingFor;
  }

  /** Events dropped because they were not newer than earlier ones. */
  get staleEvents(): number {
    return this.#staleEvents;
  }

  /**
   * Runs until the signal aborts; then resolves, with the stream closed and no timer left. Errors of the source, the sink
   * or a hook do not reject it, except one that every further attempt would have too; see `onRefused`. A stopped reflector may
   * run again; it continues where it stopped.
   * @throws {ListwatchError} code ALREADY_STARTED while it runs. The error of a request that the server refuses for good, when
   * `onRefused` is `fail`.
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
      while (!signal.aborted && this.#state.name !== 'failed') {
        const outcome = await this.#wait(round.signal);
        if (!round.signal.aborted) {
          if (outcome !== undefined) this.#advanceOrFail(outcome);
        } else if (!signal.aborted) {
          this.#failSink(round.signal.reason);
          round = deriveAbort(signal);
        }
      }
      if (this.#state.name === 'failed') throw this.#refusal;
      this.#advance({ type: 'abort' });
    } finally {
      stopResync();
      round.destroy();
      this.#relist.discard();
      this.#closeStream();
      this.#running = false;
    }
  }

  /** Performs the wait of the state and returns its result; undefined if the step was taken already. */
  async #wait(signal: AbortSignal): Promise<Outcome | undefined> {
    const { state } = this;
    switch (state.name) {
      case 'listing':
        return await (state.overlapFrom === undefined
          ? this.#list(state, signal)
          : this.#listOverlapped(state, signal));
      case 'reading-version':
      case 'probing':
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
      case 'failed':
        throw new ListwatchError(
          'ASSERTION',
          `a reflector that is ${state.name} waits for nothing`,
        );
    }
  }

  async #list(
    state: ListingState | ReadingVersionState | ProbingState,
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

  /** Opens a watch, and requests a page while the watch is open. */
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
      page.destroy();
    }
  }

  /** Opens the stream unless it is open, and passes its events to the sink until it ends. */
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
        const outcome = this.#ends.ended(watch);
        this.#closeStream();
        return outcome;
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
    return this.#ends.refused(error);
  }

  #failed(watch: OpenWatch<V>, error: unknown): Outcome {
    const outcome = this.#ends.failed(watch, error);
    this.#closeStream();
    return outcome;
  }

  /** Waits for room for the next batch, in the sink or in the relist of a streaming list. */
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

  /** Passes a batch to the sink; returns an error if the stream cannot continue. Throws errors of the sink. */
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

  /** Counts all dropped events, and reports the first ones of a stream. */
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
   * Takes one step of the table. If the sink throws at a replace, this throws too, and the step has no effect. A step that
   * neither continues the list nor commits it discards it.
   */
  #advance(input: ReflectorInput, error?: unknown): void {
    const from = this.state;
    const { state, effects, reason } = step(from, input);
    const { items, report, close } = this.#perform(effects);
    this.#state = state;
    if (state.name === 'failed') this.#refusal = error;
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
      const shown =
        report.code === undefined
          ? error
          : new ListwatchError(report.code, `${this.name}: ${reason}`);
      this.#observer.error(shown, from, state, delayMs ?? 0);
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

  /** Adds the remaining items of the page to the list; returns the number of items of the list. */
  #keepPage(): number {
    const { items = [] } = this.#page ?? {};
    if (items.length > 0) this.#relist.add(items);
    return this.#relist.taken;
  }

  /** Commits the list; returns its size. */
  #replace(resourceVersion: string): number {
    this.#watch?.follow(resourceVersion);
    return this.#relist.commit(resourceVersion);
  }

  #closeStream(): void {
    this.#watch?.close();
    this.#watch = undefined;
  }
}
