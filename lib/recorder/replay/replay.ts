import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { rejectUnknownOptions } from '../../kernel/options/options.ts';
import { abortable } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { badRequest, expired } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { EVENT_FLAGS } from '../capture/recorded-source.ts';
import type { FileHeader } from '../format/file-head.ts';
import { replayedError, type RecordedError } from '../format/recorded-error.ts';
import { LAST_OF_BATCH, RecordKind } from '../format/record-frame.ts';
import {
  readRecording,
  type Exchange,
  type ReadRecording,
  type RecordedAnswer,
} from './read-recording.ts';
import { ReplayPace, type ReplaySpeed, type ReplayStep } from './replay-pace.ts';
import { viewOf } from '../format/file-object.ts';
import { ReplayState } from './replay-state.ts';

export interface ReplayOptions {
  /** @defaultValue 1 */
  readonly speed?: ReplaySpeed | undefined;
  /** Replays a recording that was cut short up to its last whole record. @defaultValue false */
  readonly partial?: boolean | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

interface WaitForReplay {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Batch<T extends KubernetesObject> = readonly WatchEvent<ObjectView<T>>[];

const EVENT_TYPES = { 1: 'ADDED', 2: 'MODIFIED', 3: 'DELETED' } as const;

function never(): Promise<never> {
  return new Promise(() => {});
}

/**
 * A recording as a source: an informer that reads from it gets what the recorded one got, in the same order, with the same failures.
 *
 * Guarantees:
 * - The answers come in the order of the recording, each object with the bytes that were recorded.
 * - A program that asks otherwise than the recorded one is led on: a watch where the recording has a list gets 410, a list where it has a
 *   watch gets the state so far. Behind the last record a watch stays open and silent.
 *
 * Not guaranteed: the answers to requests for one item, by which a reflector only asks for the version of the server; they get the version
 * of the state so far.
 */
export class Replay<T extends KubernetesObject = KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly supportsWatchList: boolean;
  readonly #recording: ReadRecording;
  readonly #pace: ReplayPace;
  readonly #runtime: Runtime;
  readonly #state = new ReplayState<T>();
  readonly #finished: Latch;
  readonly #lastNumber: number;
  #next = 0;
  #positionMs = 0;
  /** A streaming list whose beginning was answered to a list. */
  #begun: { readonly exchange: Exchange; readonly from: number } | undefined;

  constructor(recording: ReadRecording, options: ReplayOptions = {}) {
    rejectUnknownOptions('replay', options, ['speed', 'partial', 'runtime']);
    this.#recording = recording;
    this.#runtime = options.runtime ?? realRuntime;
    this.#pace = new ReplayPace(options.speed ?? 1, this.#runtime);
    this.description = recording.header.collection;
    const { exchanges } = recording;
    this.supportsWatchList = exchanges.some(isStreamingList);
    this.#finished = new Latch(`the end of the replay of ${recording.path}`);
    const answers = exchanges.flatMap((exchange) => exchange.answers.filter(isDelivered));
    this.#lastNumber = answers.reduce((last, { number }) => Math.max(last, number), 0);
    if (this.#lastNumber === 0) this.#finished.open();
  }

  get header(): FileHeader {
    return this.#recording.header;
  }

  /** Records in the file. */
  get records(): number {
    return this.#recording.records;
  }

  /** How long was recorded, milliseconds. */
  get durationMs(): number {
    return this.#recording.durationMs;
  }

  /** The time of the last answer in the recording, milliseconds since its start. */
  get positionMs(): number {
    return this.#positionMs;
  }

  /** Whether the last answer was given. */
  get finished(): boolean {
    return this.#finished.isOpen;
  }

  /** The objects as delivered so far. */
  get objects(): readonly ObjectView<T>[] {
    return this.#state.objects;
  }

  /** The version of the state so far. */
  get resourceVersion(): string {
    return this.#state.resourceVersion;
  }

  /**
   * With `speed: 'step'`: gives the next answer, and says what it was. It waits until a program has asked for one; undefined at the end.
   * @throws {ListwatchError} code INVALID_OPTION with another speed; the reason of the signal.
   */
  async step(
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ReplayStep | undefined> {
    return await this.#pace.step(() => this.finished, options.signal);
  }

  /**
   * Resolves when the last answer was given.
   * @throws {ListwatchError} code TIMEOUT; the reason of the signal.
   */
  async whenFinished(options: WaitForReplay = {}): Promise<void> {
    const { path, records } = this.#recording;
    const describe = (): string => `the last of ${records} records of ${path}`;
    await untilOpen(this.#runtime, [this.#finished], { ...options, describe });
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const { signal } = request;
    signal?.throwIfAborted();
    const exchange = this.#recording.exchanges[this.#next];
    const follows = request.limit !== 1 && request.resourceVersionMatch !== 'Exact';
    if (!follows || exchange === undefined) return this.#present();
    if (exchange.kind === 'list') {
      this.#next += 1;
      if (request.continueToken === undefined) this.#state.beginList();
      return await this.#page(exchange, signal, onItems);
    }
    if (!isStreamingList(exchange)) return this.#present();
    this.#next += 1;
    return await this.#listOf(exchange, signal);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { signal } = request;
    signal?.throwIfAborted();
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) return this.#stream(begun.exchange, begun.from, signal);
    const exchange = this.#recording.exchanges[this.#next];
    if (exchange === undefined) return silence(signal);
    const streams = request.sendInitialEvents === true;
    if (streams !== isStreamingList(exchange) || exchange.kind === 'list') {
      if (streams) throw badRequest('the recording has no streaming list here: list');
      throw expired(`the recording has a list behind resource version ${this.resourceVersion}`);
    }
    this.#next += 1;
    if (streams) this.#state.beginList();
    const [first] = exchange.answers;
    if (first?.kind === RecordKind.watchFailed) {
      await this.#fail(first, signal);
    } else if (first?.kind === RecordKind.watchAccepted) {
      await this.#pace.until(first.atMs, signal);
    } else {
      await this.#left(exchange, signal);
    }
    return this.#stream(exchange, 1, signal);
  }

  /** The state so far, as a page. */
  #present(): ListPage<ObjectView<T>> {
    return { items: this.#state.objects, resourceVersion: this.#state.resourceVersion };
  }

  async #page(
    exchange: Exchange,
    signal: AbortSignal | undefined,
    onItems: ItemsTaker<ObjectView<T>> | undefined,
  ): Promise<ListPage<ObjectView<T>>> {
    const items: ObjectView<T>[] = [];
    let piece: ObjectView<T>[] = [];
    for (const answer of exchange.answers) {
      const { kind, flags, atMs, body, number } = answer;
      if (kind === RecordKind.item) {
        piece.push(viewOf<T>(body));
        if ((flags & LAST_OF_BATCH) === 0) continue;
        this.#state.take(piece);
        await this.#pace.until(atMs, signal);
        if (onItems !== undefined && (flags & 1) === 0) await onItems(piece);
        else items.push(...piece);
        piece = [];
      } else if (kind === RecordKind.listFailed) {
        await this.#fail(answer, signal);
      } else if (kind === RecordKind.pageEnd) {
        await this.#pace.turn({ what: 'page', atMs, count: items.length }, number, signal);
        const page = this.#recording.json(answer) as Omit<ListPage<ObjectView<T>>, 'items'>;
        if (page.continueToken === undefined) this.#state.endList(page.resourceVersion);
        this.#delivered(answer);
        return { ...page, items };
      }
    }
    return await abortable(never(), signal);
  }

  /** The beginning of a streaming list as a page; the watch that follows gets the rest. */
  async #listOf(
    exchange: Exchange,
    signal: AbortSignal | undefined,
  ): Promise<ListPage<ObjectView<T>>> {
    this.#state.beginList();
    for (const [index, answer] of exchange.answers.entries()) {
      if (answer.kind === RecordKind.watchFailed) await this.#fail(answer, signal);
      if (answer.kind !== RecordKind.event && answer.kind !== RecordKind.bookmark) continue;
      const event = this.#event(answer);
      this.#state.apply([event]);
      if (event.type !== 'BOOKMARK' || !event.initialEventsEnd) continue;
      const { objects, resourceVersion } = this.#state;
      const { atMs, number } = answer;
      await this.#pace.turn({ what: 'page', atMs, count: objects.length }, number, signal);
      this.#begun = { exchange, from: index + 1 };
      this.#delivered(answer);
      return { items: objects, resourceVersion };
    }
    return await this.#left(exchange, signal);
  }

  async *#stream(
    exchange: Exchange,
    from: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Batch<T>, undefined> {
    let batch: WatchEvent<ObjectView<T>>[] = [];
    for (const answer of exchange.answers.slice(from)) {
      const { kind, flags, atMs, number } = answer;
      if (kind === RecordKind.event || kind === RecordKind.bookmark) {
        batch.push(this.#event(answer));
        if ((flags & LAST_OF_BATCH) === 0) continue;
        await this.#pace.turn({ what: 'events', atMs, count: batch.length }, number, signal);
        this.#state.apply(batch);
        this.#delivered(answer);
        yield batch;
        batch = [];
      } else if (kind === RecordKind.watchEnded) {
        await this.#pace.turn({ what: 'watch ended', atMs, count: 0 }, number, signal);
        this.#delivered(answer);
        return undefined;
      } else if (kind === RecordKind.watchFailed) {
        await this.#fail(answer, signal);
      } else {
        break;
      }
    }
    await this.#left(exchange, signal);
    return undefined;
  }

  #event({ kind, flags, body }: RecordedAnswer): WatchEvent<ObjectView<T>> {
    if (kind === RecordKind.bookmark) {
      const bookmark = JSON.parse(body.toString('utf8')) as object;
      return { type: 'BOOKMARK', ...bookmark } as WatchEvent<ObjectView<T>>;
    }
    const number = (flags & ~LAST_OF_BATCH) as (typeof EVENT_FLAGS)[keyof typeof EVENT_FLAGS];
    return { type: EVENT_TYPES[number], object: viewOf<T>(body) };
  }

  async #fail(answer: RecordedAnswer, signal: AbortSignal | undefined): Promise<never> {
    const error = this.#recording.json(answer) as RecordedError;
    const { atMs, number } = answer;
    await this.#pace.turn({ what: error.message, atMs, count: 0 }, number, signal);
    this.#delivered(answer);
    throw replayedError(error);
  }

  /** The recorded program has left here. A program that stays is sent on when the next request of the recording is due. */
  async #left(exchange: Exchange, signal: AbortSignal | undefined): Promise<never> {
    const { exchanges } = this.#recording;
    const next = exchanges
      .slice(exchanges.indexOf(exchange) + 1)
      .find(({ kind }) => kind === exchange.kind || kind === 'list');
    if (next === undefined || exchange.kind === 'list') return await abortable(never(), signal);
    await this.#pace.until(next.atMs, signal);
    const problem = 'the recorded program has left this watch';
    throw new ListwatchError('CONNECTION_FAILED', `${this.description}: ${problem}`);
  }

  #delivered({ number, atMs }: RecordedAnswer): void {
    this.#positionMs = atMs;
    if (number >= this.#lastNumber) this.#finished.open();
  }
}

/**
 * A recording as a source for informers.
 *
 * @example
 * const source = await replay('pods.listwatch', { speed: 'instant' });
 * const pods = new SharedIndexInformer<Pod>({ listerWatcher: source });
 * @throws {ListwatchError} code RECORDING_FILE when it cannot be read; RECORDING_INVALID when it is no recording, of another version of
 * the format, cut short (see `partial`), damaged or edited; INVALID_OPTION.
 */
export async function replay<T extends KubernetesObject = KubernetesObject>(
  path: string,
  options: ReplayOptions = {},
): Promise<Replay<T>> {
  return new Replay<T>(await readRecording(path, options.partial), options);
}

function isStreamingList({ request }: Exchange): boolean {
  return request.sendInitialEvents === true;
}

/** Whether a replay passes it on. */
function isDelivered({ kind }: RecordedAnswer): boolean {
  return (
    kind !== RecordKind.watchAccepted && kind !== RecordKind.watchLeft && kind !== RecordKind.item
  );
}

/** A watch on which nothing happens. */
async function* silence<T extends KubernetesObject>(
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch<T>, undefined> {
  await abortable(never(), signal);
  yield [];
  return undefined;
}
