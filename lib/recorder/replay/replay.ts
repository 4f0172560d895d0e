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
import { abortable, deriveAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { badRequest, expired } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { FileHeader } from '../format/file-head.ts';
import type { ReplayServer, ReplayServeOptions } from '../served/replay-server.ts';
import { replayedError, type RecordedError } from '../format/recorded-error.ts';
import { LAST_OF_BATCH, RecordKind } from '../format/record-frame.ts';
import {
  readRecording,
  type Exchange,
  type ReadRecording,
  type RecordedAnswer,
} from './read-recording.ts';
import { playRecording, recordedObjects } from './play-recording.ts';
import { recordedEvent } from './recorded-event.ts';
import { initialAnswers, isDelivered, isStreamingList, ReplayCourse } from './replay-course.ts';
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

/** A program that opens its watch before its list lists within this time. */
const BESIDE_MS = 30_000;

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
  readonly #course: ReplayCourse;
  #positionMs = 0;
  /** The list to which a watch was sent on with 410. */
  #refused: Exchange | undefined;
  /** Who gets the answers: a program that reads from it, or the clients of its server. */
  #use: 'read' | 'served' | undefined;

  private constructor(recording: ReadRecording, options: ReplayOptions) {
    this.#recording = recording;
    this.#runtime = options.runtime ?? realRuntime;
    this.#pace = new ReplayPace(options.speed ?? 1, this.#runtime);
    this.description = recording.header.collection;
    const { exchanges } = recording;
    this.#course = new ReplayCourse(exchanges);
    this.supportsWatchList = exchanges.some(isStreamingList);
    this.#finished = new Latch(`the end of the replay of ${recording.path}`);
    const answers = exchanges.flatMap((exchange) => exchange.answers.filter(isDelivered));
    this.#lastNumber = answers.reduce((last, { number }) => Math.max(last, number), 0);
    if (this.#lastNumber === 0) this.#finished.open();
  }

  /** As `replay`. */
  static async open<T extends KubernetesObject>(
    path: string,
    options: ReplayOptions,
  ): Promise<Replay<T>> {
    rejectUnknownOptions('replay', options, ['speed', 'partial', 'runtime']);
    return new Replay<T>(await readRecording(path, options.partial), options);
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

  /**
   * Serves the recording over HTTP on loopback, for clients in any language, in place of a program that reads from it. They get, list and
   * watch the collection at the place where the replay is; `speed` and `step` are as for a reader. Its first list is there at once; time
   * begins when a client watches. What the recorded program got in place of an answer, they get too: a Status, or a closed connection.
   * Writes are answered with 405, other resources with 404.
   * @throws {ListwatchError} code ALREADY_STARTED when it is read or served already; INVALID_OPTION, also for a custom resource without an
   * object in the recording, whose kind is not known; PORT_IN_USE.
   */
  async serve(options: ReplayServeOptions = {}): Promise<ReplayServer> {
    this.#usedAs('served');
    // Programs that only read a replay do not load a server.
    const { startReplayServer } = await import('../served/replay-server.ts');
    const recording = this.#recording;
    return await startReplayServer({
      ...options,
      collection: this.description,
      objects: recordedObjects(recording),
      runtime: this.#runtime,
      play: (clients, signal) => {
        const turn = (answer: RecordedAnswer, what: string, count: number): Promise<void> =>
          this.#turn(answer, what, count, signal);
        const begin = (atMs: number): void => this.#pace.begin(atMs);
        const audience = this.#state.before(clients);
        return playRecording<T>({ recording, audience, turn, begin, signal });
      },
    });
  }

  /** @throws {ListwatchError} code ALREADY_STARTED. */
  #usedAs(use: 'read' | 'served'): void {
    if (this.#use === 'served' || (this.#use === 'read' && use === 'served')) {
      const text = `the replay of ${this.#recording.path} is ${this.#use} already: open the file again`;
      throw new ListwatchError('ALREADY_STARTED', text);
    }
    this.#use = use;
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const { signal } = request;
    this.#usedAs('read');
    signal?.throwIfAborted();
    const follows = request.limit !== 1 && request.resourceVersionMatch !== 'Exact';
    const exchange = this.#course.listBesideOpen ?? this.#course.next;
    if (!follows || exchange === undefined) return this.#present();
    if (exchange.kind === 'list') {
      if (request.continueToken === undefined) this.#state.beginList();
      return await this.#page(exchange, signal, onItems);
    }
    const begun = this.#course.given(exchange) > 0;
    if (!isStreamingList(exchange) || begun) return this.#present();
    return await this.#listOf(exchange, signal);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { signal } = request;
    this.#usedAs('read');
    signal?.throwIfAborted();
    const exchange = this.#course.next;
    if (exchange === undefined) return silence(signal);
    if (this.#refused === exchange && request.sendInitialEvents !== true)
      return this.#beside(signal);
    this.#check(request.sendInitialEvents === true, exchange);
    return await this.#open(exchange, signal);
  }

  async #open(
    exchange: Exchange,
    signal: AbortSignal | undefined,
  ): Promise<WatchStream<ObjectView<T>>> {
    const [first] = exchange.answers;
    if (this.#course.given(exchange) === 0) {
      if (isStreamingList(exchange)) this.#state.beginList();
      if (first?.kind === RecordKind.watchFailed) await this.#fail(exchange, first, signal);
      if (first?.kind !== RecordKind.watchAccepted) await this.#left(exchange, signal);
      await this.#pace.until(first?.atMs ?? exchange.atMs, signal);
      if (!isStreamingList(exchange)) this.#course.give(exchange, 1);
    }
    return this.#stream(exchange, signal);
  }

  /** For a program that, once refused, opens its watch before its list: silent until the list is over, then the next watch. */
  async *#beside(signal: AbortSignal | undefined): AsyncGenerator<Batch<T>, undefined> {
    const list = this.#course.next;
    this.#refused = undefined;
    const waiting = deriveAbort(signal);
    const timer = this.#runtime.setTimer(BESIDE_MS, () => {
      waiting.abort(this.#expired());
    });
    try {
      while (this.#course.next === list) await this.#course.moved(waiting.signal);
    } finally {
      timer.cancel();
      waiting.dispose();
    }
    const { next } = this.#course;
    if (next !== undefined) this.#check(false, next);
    yield* next === undefined ? silence<T>(signal) : await this.#open(next, signal);
    return undefined;
  }

  /** Leads a program to the request that the recording has next. */
  #check(streams: boolean, exchange: Exchange): void {
    const beginsHere = isStreamingList(exchange) && this.#course.given(exchange) === 0;
    if (streams && !beginsHere) {
      throw badRequest('the recording has no streaming list here: list');
    }
    if (!streams && (exchange.kind === 'list' || beginsHere)) {
      this.#refused = exchange;
      throw this.#expired();
    }
  }

  #expired(): Error {
    return expired(`the recording has a list behind resource version ${this.resourceVersion}`);
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
      const { kind, flags, atMs, body } = answer;
      if (kind === RecordKind.item) {
        piece.push(viewOf<T>(body));
        if ((flags & LAST_OF_BATCH) === 0) continue;
        this.#state.take(piece);
        await this.#pace.until(atMs, signal);
        if (onItems !== undefined && (flags & 1) === 0) await onItems(piece);
        else items.push(...piece);
        piece = [];
      } else if (kind === RecordKind.listFailed) {
        await this.#fail(exchange, answer, signal);
      } else if (kind === RecordKind.pageEnd) {
        await this.#turn(answer, 'page', items.length, signal);
        const page = this.#recording.json(answer) as Omit<ListPage<ObjectView<T>>, 'items'>;
        if (page.continueToken === undefined) this.#state.endList(page.resourceVersion);
        this.#course.end(exchange);
        return { ...page, items };
      }
    }
    return await this.#left(exchange, signal);
  }

  /** The beginning of a streaming list as a page; the watch that follows gets the rest. */
  async #listOf(
    exchange: Exchange,
    signal: AbortSignal | undefined,
  ): Promise<ListPage<ObjectView<T>>> {
    this.#state.beginList();
    const count = initialAnswers(exchange);
    for (const answer of exchange.answers.slice(0, count === 0 ? undefined : count)) {
      if (answer.kind === RecordKind.watchFailed) await this.#fail(exchange, answer, signal);
      if (answer.kind !== RecordKind.event && answer.kind !== RecordKind.bookmark) continue;
      const last = answer === exchange.answers[count - 1];
      if (last) await this.#turn(answer, 'page', count, signal);
      this.#state.apply([recordedEvent<T>(answer)]);
    }
    if (count === 0) return await this.#left(exchange, signal);
    this.#course.give(exchange, count);
    return this.#present();
  }

  async *#stream(
    exchange: Exchange,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Batch<T>, undefined> {
    const course = this.#course;
    const initial = isStreamingList(exchange) ? initialAnswers(exchange) : 0;
    course.open = exchange;
    let batch: WatchEvent<ObjectView<T>>[] = [];
    try {
      for (let at = Math.max(1, course.given(exchange)); at < exchange.answers.length; at += 1) {
        const answer = exchange.answers[at] as RecordedAnswer;
        const { kind, flags } = answer;
        if (kind === RecordKind.event || kind === RecordKind.bookmark) {
          batch.push(recordedEvent<T>(answer));
          if ((flags & LAST_OF_BATCH) === 0) continue;
          await this.#turn(answer, 'events', batch.length, signal);
          this.#state.apply(batch);
          // A streaming list that is left before its end begins again.
          if (!isStreamingList(exchange) || at + 1 >= initial) course.give(exchange, at + 1);
          yield batch;
          batch = [];
        } else if (kind === RecordKind.watchEnded) {
          await this.#turn(answer, 'watch ended', 0, signal);
          course.end(exchange);
          return undefined;
        } else if (kind === RecordKind.watchFailed) {
          await this.#fail(exchange, answer, signal);
        } else {
          break;
        }
      }
      await this.#left(exchange, signal);
      return undefined;
    } finally {
      if (course.open === exchange) course.open = undefined;
    }
  }

  async #fail(
    exchange: Exchange,
    answer: RecordedAnswer,
    signal: AbortSignal | undefined,
  ): Promise<never> {
    const error = this.#recording.json(answer) as RecordedError;
    await this.#turn(answer, error.message, 0, signal);
    this.#course.end(exchange);
    throw replayedError(error);
  }

  /** The recorded program has left here. A program that stays is sent on when the next request of the recording is due. */
  async #left(exchange: Exchange, signal: AbortSignal | undefined): Promise<never> {
    const next = this.#course.after(exchange);
    if (next === undefined) return await abortable(never(), signal);
    try {
      await this.#pace.until(next.atMs, signal);
    } finally {
      this.#course.end(exchange);
    }
    const problem = `the recorded program has left this ${exchange.kind}`;
    throw new ListwatchError('CONNECTION_FAILED', `${this.description}: ${problem}`);
  }

  /** Waits until an answer is due, and counts it as given. */
  async #turn(
    { atMs, number }: RecordedAnswer,
    what: string,
    count: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#pace.turn({ what, atMs, count }, number, signal);
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
  return await Replay.open<T>(path, options);
}

/** A watch on which nothing happens. */
async function* silence<T extends KubernetesObject>(
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch<T>, undefined> {
  await abortable(never(), signal);
  yield [];
  return undefined;
}
