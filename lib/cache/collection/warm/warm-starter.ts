import { isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { deriveAbort, onAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import type { HasMetadata, KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { ObjectMemory } from '../../memory/object-memory.ts';
import type {
  ListerWatcher,
  ItemsTaker,
  ListPage,
  SourceDecorator,
  WatchRequest,
  WatchStream,
} from '../../reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../../reflector/contract/received-objects.ts';
import type { ReflectorSink } from '../../reflector/contract/reflector-sink.ts';
import type { WarmCollection, WarmStart, WarmState } from './warm-start.ts';

export interface WarmStarterOptions<T extends KubernetesObject> {
  readonly warmStart: WarmStart;
  readonly collection: WarmCollection;
  readonly cache: ReceivedObjects<ObjectView<T>> | undefined;
  readonly sink: ReflectorSink<ObjectView<T>>;
  readonly memory: ObjectMemory<ObjectView<T>>;
  readonly store: { readonly resourceVersion: string; list(): readonly ObjectView<T>[] };
  readonly runtime: Runtime;
  /** As that of the reflector. */
  readonly minWatchTimeoutMs: number;
  readonly report: (error: unknown) => void;
  /** The content of the cache is not confirmed: it does not count as synced. */
  readonly hold: () => void;
  /** The server has confirmed it. */
  readonly confirm: () => void;
}

/** A server answers a watch from an expired version at once, with an error; one that is silent for this long has accepted it. */
const SILENCE_MS = 1000;
/** An answer that came while nothing was read is there within this time of the first read. */
const ARRIVAL_MS = 100;
/** The longest wait for the version of the server. */
const VERSION_TIMEOUT_MS = 10_000;

/**
 * Starts an informer from what it has saved, and saves it again.
 *
 * Guarantees: what is saved is used as a whole or not at all; the cache counts as synced only when the server has confirmed that it knows
 * the version: by an event, a bookmark, a new list, or a watch that stays open for a second while the server is not behind it. The watch is
 * requested before the cache is filled, so that this second passes meanwhile.
 */
export class WarmStarter<T extends KubernetesObject> {
  readonly cache: ReceivedObjects<ObjectView<T>> | undefined;
  readonly sink: ReflectorSink<ObjectView<T>>;
  readonly #options: WarmStarterOptions<T>;
  #held = false;
  /** The server was asked, and is not behind the version. */
  #checked = false;
  /** Answers the next list. */
  #saved: WarmState | undefined;
  #early: WatchAhead<ObjectView<T>> | undefined;
  #ahead: ((request: WatchRequest) => WatchAhead<ObjectView<T>>) | undefined;
  #answeredAtMs: number | undefined;
  #silence: Timer | undefined;
  #savedVersion = '';
  #refused = false;

  constructor(options: WarmStarterOptions<T>) {
    this.#options = options;
    this.sink = confirmingSink(options.sink, () => this.#confirm());
  }

  /** The source, with the saved state as its next list, and a watch from there that was requested ahead. */
  get decorator(): SourceDecorator {
    // It decorates the source of this collection alone.
    return ((source: ListerWatcher<ObjectView<T>>) => this.#decorated(source)) as SourceDecorator;
  }

  #decorated(source: ListerWatcher<ObjectView<T>>): ListerWatcher<ObjectView<T>> {
    const { description, resource, supports } = source;
    this.#ahead = (request) => new WatchAhead(source, request);
    return {
      description,
      resource,
      supports,
      list: (request, onItems) => {
        const saved = this.#saved;
        this.#saved = undefined;
        return saved === undefined ? source.list(request, onItems) : savedPage<T>(saved, onItems);
      },
      watch: async (request) => {
        const taken = this.#early?.take(request);
        if (taken === undefined) this.#dropEarly(new ListwatchError('CLOSED', 'it is not read'));
        this.#early = undefined;
        const stream = await (taken ?? source.watch(request));
        if (!this.#held || !this.#checked) return stream;
        const nowMs = this.#options.runtime.monotonicMs();
        const openSinceMs = (taken && this.#answeredAtMs) ?? nowMs;
        return onFirstRead(stream, () => this.#awaitSilence(openSinceMs));
      },
    };
  }

  /**
   * Resolves to the version to watch from; empty if there is none.
   * @param source has the decorated source at its inner end
   */
  async begin(source: ListerWatcher<ObjectView<T>>, signal: AbortSignal): Promise<string> {
    const { warmStart, collection, report } = this.#options;
    const asked = this.#serverVersion(source, signal);
    let state: WarmState | undefined;
    try {
      state = await warmStart.load(collection, signal);
      const present = await asked;
      if (state === undefined || signal.aborted) return '';
      if (present !== undefined && isOlder(present, state.resourceVersion)) {
        throw new ListwatchError(
          'WARM_START_REFUSED',
          `what was saved of ${collection.description} is at resource version ${state.resourceVersion}, and the server at ${present}: it was restored, or is another one`,
        );
      }
      this.#checked = present !== undefined;
      // Otherwise the server does not answer now.
      if (this.#checked) this.#watchAhead(state.resourceVersion, signal);
      await this.#fill(source, state);
      return state.resourceVersion;
    } catch (error) {
      this.#dropEarly(error);
      if (!signal.aborted) report(error);
      return '';
    } finally {
      await state?.close();
    }
  }

  /** The reflector has changed its state: a watch that was open is no longer. */
  moved(): void {
    this.#silence?.cancel();
    this.#silence = undefined;
  }

  /** Saves the cache from time to time until the signal aborts, and then once more. */
  async keep(signal: AbortSignal): Promise<void> {
    const { runtime, warmStart } = this.#options;
    while (!signal.aborted) {
      // Rejects only when aborted.
      await sleep(runtime, warmStart.everyMs, { signal, background: true }).catch(() => {});
      if (!signal.aborted) await this.#save();
    }
  }

  /** At the end, when the cache no longer changes. */
  async last(): Promise<void> {
    this.moved();
    await this.#save();
  }

  /** The list goes through the decorators of the source: a recording without it would lack the state before the first watch. */
  async #fill(source: ListerWatcher<ObjectView<T>>, state: WarmState): Promise<void> {
    const { sink, hold } = this.#options;
    const relist = sink.beginRelist();
    this.#saved = state;
    try {
      const { resourceVersion } = await source.list({}, (items) => {
        relist.add(items);
        return relist.waitForRoom?.();
      });
      this.#held = true;
      hold();
      relist.commit(resourceVersion);
      this.#savedVersion = resourceVersion;
    } finally {
      this.#saved = undefined;
      relist.discard();
    }
  }

  /** Undefined when the server does not say. */
  async #serverVersion(
    source: ListerWatcher<ObjectView<T>>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { runtime } = this.#options;
    const abort = deriveAbort(signal);
    const timer = runtime.setTimer(VERSION_TIMEOUT_MS, () => abort.abort(), { background: true });
    try {
      return (await source.list({ limit: 1, signal: abort.signal })).resourceVersion;
    } catch {
      // The reflector meets the same failure, and reports it.
      return undefined;
    } finally {
      timer.cancel();
      abort.destroy();
    }
  }

  #watchAhead(resourceVersion: string, signal: AbortSignal): void {
    const { cache, runtime, minWatchTimeoutMs } = this.#options;
    // The shortest that its reader may ask for, who expects that it ends in time.
    const timeoutSeconds = Math.floor(minWatchTimeoutMs / 1000);
    const request = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds, signal, cache };
    this.#early = this.#ahead?.(request);
    void this.#early?.answered.then(() => {
      this.#answeredAtMs = runtime.monotonicMs();
    });
  }

  #dropEarly(reason: unknown): void {
    this.#early?.destroy(reason);
    this.#early = undefined;
  }

  #confirm(): void {
    if (!this.#held) return;
    this.#held = false;
    this.moved();
    this.#options.confirm();
  }

  /** Called at the first read of a watch. */
  #awaitSilence(openSinceMs: number): void {
    const { runtime } = this.#options;
    const leftMs = openSinceMs + SILENCE_MS - runtime.monotonicMs();
    this.moved();
    const silence = runtime.setTimer(Math.max(leftMs, ARRIVAL_MS), () => {
      // After the event loop was blocked, timers run before data that has already arrived is read.
      runtime.queueTask(() => {
        if (this.#silence === silence) this.#confirm();
      });
    });
    this.#silence = silence;
  }

  async #save(): Promise<void> {
    const { warmStart, collection, memory, store, report } = this.#options;
    const { resourceVersion } = store;
    // Unconfirmed objects were saved already.
    if (this.#refused || this.#held || resourceVersion === this.#savedVersion) return;
    if (resourceVersion === '') return;
    const pin = memory.pin('body');
    try {
      await warmStart.save(collection, { resourceVersion, objects: store.list() });
      this.#savedVersion = resourceVersion;
    } catch (error) {
      this.#refused = isListwatchError(error, 'WARM_START_REFUSED');
      report(error);
    } finally {
      pin[Symbol.dispose]();
    }
  }
}

/** A saved state as the answer to a list. */
async function savedPage<T extends KubernetesObject>(
  { pieces, resourceVersion }: WarmState,
  onItems: ItemsTaker<ObjectView<T>> | undefined,
): Promise<ListPage<ObjectView<T>>> {
  const items: ObjectView<T>[] = [];
  // The program says of what type its objects are, as with a source.
  for await (const piece of pieces as AsyncIterable<readonly ObjectView<T>[]>) {
    if (onItems === undefined) items.push(...piece);
    else await onItems(piece);
  }
  return { items, resourceVersion };
}

/** Everything that a reflector passes on confirms what was there before. */
function confirmingSink<V extends HasMetadata>(
  sink: ReflectorSink<V>,
  confirm: () => void,
): ReflectorSink<V> {
  return {
    beginRelist: () => {
      const relist = sink.beginRelist();
      return {
        add: (items) => relist.add(items),
        apply: (events) => relist.apply(events),
        waitForRoom: () => relist.waitForRoom?.(),
        discard: () => relist.discard(),
        commit: (resourceVersion) => {
          const count = relist.commit(resourceVersion);
          confirm();
          return count;
        },
      };
    },
    apply: (events) => {
      sink.apply(events);
      confirm();
    },
    bookmark: (resourceVersion) => {
      sink.bookmark(resourceVersion);
      confirm();
    },
    resync: () => sink.resync?.(),
    waitForRoom: () => sink.waitForRoom?.(),
  };
}

/** The same stream, with a call when its reader asks for the first batch. */
function onFirstRead<V extends HasMetadata>(
  stream: WatchStream<V>,
  notify: () => void,
): WatchStream<V> {
  return {
    [Symbol.asyncIterator]: () => {
      const within = stream[Symbol.asyncIterator]();
      let isRead = false;
      return {
        next: () => {
          if (!isRead) notify();
          isRead = true;
          return within.next();
        },
        return: async () => (await within.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** A watch that is requested before its reader is ready. Nothing of it is read before the reader takes it. */
export class WatchAhead<V extends HasMetadata> {
  /** Resolves when the source has accepted or refused it. */
  readonly answered: Promise<void>;
  readonly #request: WatchRequest;
  readonly #abort: DerivedAbort;
  readonly #stream: Promise<WatchStream<V>>;

  constructor(source: ListerWatcher<V>, request: WatchRequest) {
    this.#request = request;
    this.#abort = deriveAbort(request.signal);
    const { signal } = this.#abort;
    // A source may throw, too.
    this.#stream = (async () => await source.watch({ ...request, signal }))();
    const ignore = (): void => {};
    // Its failure is that of its reader; without one it is of no interest.
    this.answered = this.#stream.then(ignore, ignore);
  }

  /**
   * Gives it to a reader, as `ListerWatcher.watch` would: it ends with the signal of this request. Undefined if it starts from another
   * version than the reader asks for; then it has to be closed.
   */
  take({
    resourceVersion,
    sendInitialEvents = false,
    signal,
  }: WatchRequest): Promise<WatchStream<V>> | undefined {
    if (resourceVersion !== this.#request.resourceVersion || sendInitialEvents) return undefined;
    onAbort(signal, () => this.#abort.abort(signal?.reason));
    return this.#stream;
  }

  /** Ends it, in place of `take`. */
  destroy(reason: unknown): void {
    this.#abort.abort(reason);
    this.#stream.then(leave, () => {});
  }
}

/** The signal stops the source, too; its answer to `return` is ignored. */
function leave(stream: WatchStream<HasMetadata>): void {
  stream[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
