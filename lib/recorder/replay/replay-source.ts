import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { abortable, deriveAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { badRequest, expired } from '../../meta/failure/failures.ts';
import type { ResourceName } from '../../meta/collection-options.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { viewOf } from '../format/file-object.ts';
import { replayedError, type RecordedError } from '../format/recorded-error.ts';
import { LAST_OF_BATCH, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import type { Exchange, RecordedAnswer, RecordedReader } from './read-recording.ts';
import { recordedEvent } from './play-recording.ts';
import { initialAnswers, isStreamingList, ReplayCourse } from './replay-course.ts';
import type { PacedReader, ReplayPace, ReplayStep } from './replay-pace.ts';
import { ReplayState } from './replay-state.ts';

export interface ReplaySourceOptions {
  readonly recorded: RecordedReader;
  readonly pace: ReplayPace;
  readonly runtime: Runtime;
  /** JSON of a record. */
  readonly json: (frame: RecordFrame) => unknown;
  /** Before each request. */
  readonly onRequest: () => void;
  /** A record was given, or nothing is left. */
  readonly onGiven: (atMs?: number) => void;
}

const NOTHING: PacedReader['next'] = { number: Infinity, atMs: Infinity };

type Batch<T extends KubernetesObject> = readonly WatchEvent<ObjectView<T>>[];

/** A program that opens its watch before its list lists within this time. */
const BESIDE_MS = 30_000;

function never(): Promise<never> {
  return new Promise(() => {});
}

/**
 * A collection of a recording, as a source.
 *
 * @experimental
 */
export interface ReplayedCollection<T extends KubernetesObject>
  extends ListerWatcher<ObjectView<T>> {
  /** As delivered so far. */
  readonly objects: readonly ObjectView<T>[];
  /** The version of the state so far; empty before its first list. */
  readonly resourceVersion: string;
}

/** The records of one reader, as a source; see `Replay`. */
export class ReplaySource<T extends KubernetesObject>
  implements ReplayedCollection<T>, PacedReader
{
  readonly description: string;
  readonly resource: ResourceName | undefined;
  readonly supports: { readonly watchList: boolean };
  readonly state: ReplayState<T> = new ReplayState<T>();
  readonly #options: ReplaySourceOptions;
  readonly #course: ReplayCourse;
  /** The list to which a watch was sent on with 410. */
  #refused: Exchange | undefined;
  #finished: boolean;

  constructor(options: ReplaySourceOptions) {
    const { exchanges, description, collection } = options.recorded;
    this.#options = options;
    this.description = description;
    this.resource = collection;
    this.#course = new ReplayCourse(exchanges);
    this.supports = { watchList: exchanges.some(isStreamingList) };
    this.#finished = this.#course.lastNumber === 0;
  }

  get objects(): readonly ObjectView<T>[] {
    return this.state.objects;
  }

  get resourceVersion(): string {
    return this.state.resourceVersion;
  }

  /** Whether the last answer was given. */
  get finished(): boolean {
    return this.#finished;
  }

  get next(): PacedReader['next'] {
    if (this.#finished) return NOTHING;
    return this.#course.nextAnswer ?? NOTHING;
  }

  #begin(): void {
    this.#options.onRequest();
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#options.onGiven();
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    const { signal } = request;
    this.#begin();
    signal?.throwIfAborted();
    const follows = request.limit !== 1 && request.resourceVersionMatch !== 'Exact';
    const exchange = this.#course.listBesideOpen ?? this.#course.next;
    if (!follows || exchange === undefined) return this.#present();
    if (exchange.kind === 'list') {
      if (request.continueToken === undefined) this.state.beginList();
      return await this.#page(exchange, signal, onItems);
    }
    const begun = this.#course.given(exchange) > 0;
    if (!isStreamingList(exchange) || begun) return this.#present();
    return await this.#listOf(exchange, signal);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { signal } = request;
    this.#begin();
    signal?.throwIfAborted();
    const exchange = this.#course.next;
    if (exchange === undefined) return this.#silence(signal);
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
      if (isStreamingList(exchange)) this.state.beginList();
      if (first?.kind === RecordKind.watchFailed) await this.#fail(exchange, first, signal);
      if (first?.kind !== RecordKind.watchAccepted) await this.#left(exchange, signal);
      await this.#wait(first ?? exchange, signal);
      if (!isStreamingList(exchange)) this.#course.give(exchange, 1);
    }
    return this.#stream(exchange, signal);
  }

  /** For a program that, once refused, opens its watch before its list: silent until the list is over, then the next watch. */
  async *#beside(signal: AbortSignal | undefined): AsyncGenerator<Batch<T>, undefined> {
    const list = this.#course.next;
    this.#refused = undefined;
    const waiting = deriveAbort(signal);
    const timer = this.#options.runtime.setTimer(BESIDE_MS, () => {
      waiting.abort(this.#expired());
    });
    try {
      while (this.#course.next === list) await this.#course.moved(waiting.signal);
    } finally {
      timer.cancel();
      waiting.destroy();
    }
    const { next } = this.#course;
    if (next !== undefined) this.#check(false, next);
    yield* next === undefined ? this.#silence(signal) : await this.#open(next, signal);
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
    return expired(
      `the recording has a list behind resource version ${this.state.resourceVersion}`,
    );
  }

  /** The state so far, as a page. */
  #present(): ListPage<ObjectView<T>> {
    return { items: this.state.objects, resourceVersion: this.state.resourceVersion };
  }

  async #page(
    exchange: Exchange,
    signal: AbortSignal | undefined,
    onItems: ItemsTaker<ObjectView<T>> | undefined,
  ): Promise<ListPage<ObjectView<T>>> {
    const items: ObjectView<T>[] = [];
    let piece: ObjectView<T>[] = [];
    for (const answer of exchange.answers) {
      const { kind, flags, body } = answer;
      if (kind === RecordKind.item) {
        piece.push(viewOf<T>(body));
        if ((flags & LAST_OF_BATCH) === 0) continue;
        this.state.take(piece);
        await this.#wait(answer, signal);
        if (onItems !== undefined && (flags & 1) === 0) await onItems(piece);
        else items.push(...piece);
        piece = [];
      } else if (kind === RecordKind.listFailed) {
        await this.#fail(exchange, answer, signal);
      } else if (kind === RecordKind.pageEnd) {
        await this.#turn(exchange, answer, ['page', items.length], signal);
        const page = this.#options.json(answer) as Omit<ListPage<ObjectView<T>>, 'items'>;
        if (page.continueToken === undefined) this.state.endList(page.resourceVersion);
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
    this.state.beginList();
    const count = initialAnswers(exchange);
    for (const answer of exchange.answers.slice(0, count === 0 ? undefined : count)) {
      if (answer.kind === RecordKind.watchFailed) await this.#fail(exchange, answer, signal);
      if (answer.kind !== RecordKind.event && answer.kind !== RecordKind.bookmark) continue;
      const last = answer === exchange.answers[count - 1];
      if (last) await this.#turn(exchange, answer, ['page', count], signal);
      this.state.apply([recordedEvent<T>(answer)]);
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
          await this.#turn(exchange, answer, ['events', batch.length], signal);
          this.state.apply(batch);
          // A streaming list that is left before its end begins again.
          if (!isStreamingList(exchange) || at + 1 >= initial) course.give(exchange, at + 1);
          yield batch;
          batch = [];
        } else if (kind === RecordKind.watchEnded) {
          await this.#turn(exchange, answer, ['watch ended', 0], signal);
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
    const error = this.#options.json(answer) as RecordedError;
    await this.#turn(exchange, answer, [error.message, 0], signal);
    this.#course.end(exchange);
    throw replayedError(error);
  }

  /** The recorded program has left here. A program that stays is sent on when the next request of the recording is due. */
  async #left(exchange: Exchange, signal: AbortSignal | undefined): Promise<never> {
    const next = this.#course.after(exchange);
    if (next === undefined) return await this.#stay(signal);
    try {
      await this.#wait(next, signal);
    } finally {
      this.#course.end(exchange);
    }
    const problem = `the recorded program has left this ${exchange.kind}`;
    throw new ListwatchError('CONNECTION_FAILED', `${this.description}: ${problem}`);
  }

  /** Waits until an answer is due, and counts it as given. */
  async #turn(
    exchange: Exchange,
    { atMs, number }: RecordedAnswer,
    [what, count]: readonly [string, number],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const step: ReplayStep = { what, atMs, count, collection: this.description };
    const onGiven = (): void => {
      this.#course.gave(exchange, number);
      if (number >= this.#course.lastNumber) this.#finished = true;
      this.#options.onGiven(atMs);
    };
    await this.#options.pace.turn(this, { number, atMs, step, onGiven }, signal);
  }

  /** Waits until it is time for what a program does not see. */
  async #wait(
    { number, atMs }: Pick<RecordedAnswer, 'number' | 'atMs'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#options.pace.turn(this, { number, atMs }, signal);
  }

  /** Behind the last record nothing happens. */
  async #stay(signal: AbortSignal | undefined): Promise<never> {
    this.#finish();
    return await abortable(never(), signal);
  }

  async *#silence(signal: AbortSignal | undefined): AsyncGenerator<Batch<T>, undefined> {
    await this.#stay(signal);
    yield [];
    return undefined;
  }
}
