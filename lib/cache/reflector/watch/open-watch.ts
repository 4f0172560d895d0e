import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { IdleLimit } from '../../../kernel/time/idle-watchdog.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { OverlapBuffer } from './overlap-buffer.ts';
import { PausableDeadline } from '../../../kernel/time/pausable-deadline.ts';
import type { ResolvedReflectorOptions } from '../options/reflector-options.ts';
import {
  watchRequest,
  type ListingState,
  type StreamingListState,
  type WatchingState,
} from '../table/reflector-state.ts';
import { SilenceProbe } from './silence-probe.ts';
import { StreamOrder } from './stream-order.ts';
import { WatchReader } from './watch-reader.ts';

/** A watch that is open during a list has to stay open longer than the list takes: this many times as long as another watch. */
const OVERLAP_FACTOR = 3;

export interface OpenWatchOptions<V extends HasMetadata> {
  readonly options: ResolvedReflectorOptions<V>;
  readonly state: StreamingListState | WatchingState | ListingState;
  readonly signal: AbortSignal;
  /** The resource version of the watch, empty before it follows changes. */
  readonly resourceVersion: () => string;
}

/**
 * A streaming list sends its objects without a pause. After this silence, milliseconds, its end bookmark counts as lost.
 */
const STREAMING_SILENCE_MS = 10_000;

/** One watch of a reflector with its timers and buffers; `close` ends all of them. */
export class OpenWatch<V extends HasMetadata> {
  /** The source has accepted the watch. */
  accepted = false;
  readonly #options: OpenWatchOptions<V>;
  readonly #reader: WatchReader<V>;
  #overlap: OverlapBuffer<V> | undefined;
  #order: StreamOrder<V> | undefined;
  #probe: SilenceProbe<V> | undefined;
  #deadline: PausableDeadline | undefined;
  #silence: IdleLimit | undefined;

  constructor(given: OpenWatchOptions<V>) {
    const { state, signal, options } = given;
    const { runtime, listerWatcher, minWatchTimeoutMs, idleTimeoutMs } = options;
    this.#options = given;
    const factor = state.name === 'listing' ? OVERLAP_FACTOR : 1;
    const timeoutSeconds = Math.floor((minWatchTimeoutMs * factor * (1 + runtime.random())) / 1000);
    const request = { ...watchRequest(state), timeoutSeconds };
    this.#reader = new WatchReader({ runtime, listerWatcher, request, signal, idleTimeoutMs });
    if (state.name === 'watching') return;
    this.#deadline = this.#newDeadline(state.name);
    if (state.name === 'streaming-list') this.#silence = this.#limitSilence();
  }

  get ageMs(): number {
    return this.#reader.ageMs;
  }

  /** Events read so far. */
  get events(): number {
    return this.#reader.events;
  }

  /** Aborts when the watch that is open during a list cannot continue after the list. */
  get broken(): AbortSignal | undefined {
    return this.#overlap?.broken;
  }

  /** Resolves when the source has accepted the watch. */
  async open(): Promise<void> {
    const { options, state, resourceVersion } = this.#options;
    await this.#reader.open();
    this.accepted = true;
    if (state.name === 'listing') {
      this.#deadline?.cancel();
      this.#overlap = new OverlapBuffer({ reader: this.#reader, name: options.name });
    }
    if (options.silenceProbeMs > 0)
      this.#probe = new SilenceProbe({ ...options, reader: this.#reader, resourceVersion });
  }

  /** The next batch; undefined when the server has ended the watch. */
  read(): Promise<readonly WatchEvent<V>[] | undefined> {
    return this.#overlap?.read() ?? this.#reader.read();
  }

  /** The sink got the state at `resourceVersion`; later events are changes after it. */
  follow(resourceVersion: string): void {
    this.#cancelLimits();
    this.#overlap?.release(resourceVersion);
  }

  /** The source is not read during this wait, so the deadline of a streaming list pauses too. */
  pauseWhile(waiting: Promise<void>): void {
    this.#deadline?.pauseWhile(waiting);
  }

  /** Keeps the changes of this watch in order; `state` says where it starts. */
  order({ memory, unordered }: WatchingState): StreamOrder<V> {
    this.#order ??= new StreamOrder(memory.resourceVersion, unordered);
    return this.#order;
  }

  close(): void {
    this.#cancelLimits();
    this.#probe?.close();
    this.#reader.close();
  }

  #cancelLimits(): void {
    this.#deadline?.cancel();
    this.#silence?.cancel();
  }

  /** A streaming list has to end in time. A watch during a list has to be accepted in time, like a page. */
  #newDeadline(during: 'streaming-list' | 'listing'): PausableDeadline {
    const { runtime, name, watchListTimeoutMs, listTimeoutMs } = this.#options.options;
    if (during === 'streaming-list') {
      return new PausableDeadline(runtime, watchListTimeoutMs, () => {
        this.#interruptStreaming(`after ${watchListTimeoutMs} ms`);
      });
    }
    return new PausableDeadline(runtime, listTimeoutMs, () => {
      const text = `gave up after ${listTimeoutMs} ms waiting for the watch beside the list of ${name}`;
      this.#reader.interrupt(new ListwatchError('TIMEOUT', text));
    });
  }

  #limitSilence(): IdleLimit {
    return this.#reader.idle.limit({
      limitMs: STREAMING_SILENCE_MS,
      onIdle: (silentMs) => this.#interruptStreaming(`after ${silentMs} ms of silence`),
    });
  }

  #interruptStreaming(when: string): void {
    const text = `the streaming list of ${this.#options.options.name} had no end bookmark ${when}`;
    this.#reader.interrupt(new ListwatchError('WATCH_LIST_INCOMPLETE', text));
  }
}
