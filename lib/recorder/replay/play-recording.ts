import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { viewOf } from '../format/file-object.ts';
import { replayedError, type RecordedError } from '../format/recorded-error.ts';
import { LAST_OF_BATCH, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import type { Exchange, RecordedAnswer, RecordedReader } from './read-recording.ts';
import type { ReplayStep } from './replay-pace.ts';
import { firstListEnd, isStreamingList } from './replay-course.ts';
import type { EVENT_FLAGS } from '../capture/recorded-source.ts';

const EVENT_TYPES = { 1: 'ADDED', 2: 'MODIFIED', 3: 'DELETED' } as const;

/** The event of a record of the kind `event` or `bookmark`. */
export function recordedEvent<T extends KubernetesObject>({
  kind,
  flags,
  body,
}: RecordFrame): WatchEvent<ObjectView<T>> {
  if (kind === RecordKind.bookmark) {
    const bookmark = JSON.parse(body.toString('utf8')) as object;
    return { type: 'BOOKMARK', ...bookmark } as WatchEvent<ObjectView<T>>;
  }
  const number = (flags & ~LAST_OF_BATCH) as (typeof EVENT_FLAGS)[keyof typeof EVENT_FLAGS];
  return { type: EVENT_TYPES[number], object: viewOf<T>(body) };
}

/** The receivers of the records of each reader, whatever the programs request. */
export interface ReplayAudience<T extends KubernetesObject> {
  /** Its first list comes before time begins. */
  expect(): void;
  listed(items: readonly ObjectView<T>[], resourceVersion: string): void;
  changed(batch: readonly WatchEvent<ObjectView<T>>[]): void;
  /** The watch has ended, with the error if it failed. */
  ended(error?: Error): void;
  /** The failure that the recorded program got in place of an answer; undefined with the next answer. */
  refuse(error: Error | undefined): void;
}

export interface PlayOptions<T extends KubernetesObject> {
  readonly parts: readonly PlayedPart<T>[];
  readonly json: (answer: RecordFrame) => unknown;
  /** Resolves when an answer is due. */
  readonly turn: (answer: RecordedAnswer, step: Omit<ReplayStep, 'atMs'>) => Promise<void>;
  /** Resolves when what follows the first lists is wanted. */
  readonly wanted: () => Promise<void>;
  /** Later records follow the time of the recording from now on. */
  readonly begin: (atMs: number) => void;
}

/** A reader of a recording that is played. */
export interface PlayedPart<T extends KubernetesObject> {
  readonly recorded: RecordedReader;
  readonly audience: ReplayAudience<T>;
}

interface Row<T extends KubernetesObject> {
  readonly player: Player<T>;
  readonly exchange: Exchange;
  readonly answer: RecordedAnswer;
}

/** Plays a recording: first what its readers listed when it began, and once that is wanted, the rest to the last record. */
export async function playRecording<T extends KubernetesObject>(
  options: PlayOptions<T>,
): Promise<void> {
  const { parts, wanted, begin } = options;
  const first = firstLists(parts.map(({ recorded }) => recorded));
  const early: Row<T>[] = [];
  const later: Row<T>[] = [];
  for (const part of parts) {
    const player = new Player<T>(part, options);
    if (first.has(part.recorded)) part.audience.expect();
    for (const exchange of part.recorded.exchanges) {
      for (const answer of exchange.answers) {
        const rows = answer.number <= (first.get(part.recorded) ?? 0) ? early : later;
        rows.push({ player, exchange, answer });
      }
    }
  }
  await play(early);
  const [listedAtMs] = early
    .filter(({ player, answer }) => first.get(player.recorded) === answer.number)
    .map(({ answer }) => answer.atMs)
    .toSorted((one, other) => one - other);
  if (listedAtMs !== undefined && later.length > 0) {
    await wanted();
    begin(listedAtMs);
  }
  await play(later);
  // A recording that was written because of a failure ends with it.
  for (const { audience } of parts) audience.refuse(undefined);
}

async function play<T extends KubernetesObject>(rows: readonly Row<T>[]): Promise<void> {
  const inOrder = rows.toSorted((one, other) => one.answer.number - other.answer.number);
  for (const { player, exchange, answer } of inOrder) await player.play(exchange, answer);
}

/** The last record of the first list, of each reader that had begun it before anything else came. */
function firstLists(readers: readonly RecordedReader[]): ReadonlyMap<RecordedReader, number> {
  const ends = new Map<RecordedReader, number>();
  let othersFrom = Infinity;
  for (const reader of readers) {
    const end = firstListEnd(reader);
    if (end === undefined) continue;
    ends.set(reader, end);
    for (const { answers } of reader.exchanges) {
      const next = answers.find(
        ({ number, kind }) => number > end && kind !== RecordKind.watchAccepted,
      );
      othersFrom = Math.min(othersFrom, next?.number ?? Infinity);
    }
  }
  for (const reader of ends.keys()) {
    if ((reader.exchanges[0]?.number ?? 0) > othersFrom) ends.delete(reader);
  }
  return ends;
}

/** The objects of readers, one after the other. */
export function* recordedObjects(readers: readonly RecordedReader[]): Generator<ObjectView> {
  for (const { exchanges } of readers) {
    for (const { answers } of exchanges) {
      for (const answer of answers) {
        const { kind } = answer;
        if (kind === RecordKind.item || kind === RecordKind.event) yield viewOf(answer.body);
      }
    }
  }
}

class Player<T extends KubernetesObject> {
  readonly recorded: RecordedReader;
  readonly #audience: ReplayAudience<T>;
  readonly #options: PlayOptions<T>;
  /** The items of a list that is not complete. */
  #items: ObjectView<T>[] = [];
  /** Those of a list that comes as a stream. */
  #initial: ObjectView<T>[] = [];
  #streamed: Exchange | undefined;
  readonly #complete = new Set<Exchange>();
  #batch: WatchEvent<ObjectView<T>>[] = [];

  constructor({ recorded, audience }: PlayedPart<T>, options: PlayOptions<T>) {
    this.recorded = recorded;
    this.#audience = audience;
    this.#options = options;
  }

  async play(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    const audience = this.#audience;
    const { kind } = answer;
    if (kind === RecordKind.item) {
      if (exchange.answers[0] === answer && exchange.request.continueToken === undefined) {
        this.#items = [];
      }
      this.#items.push(viewOf<T>(answer.body));
    } else if (kind === RecordKind.pageEnd) await this.#page(exchange, answer);
    else if (kind === RecordKind.watchAccepted) audience.refuse(undefined);
    else if (kind === RecordKind.event || kind === RecordKind.bookmark) {
      await this.#event(exchange, answer);
    } else if (kind === RecordKind.watchEnded) {
      await this.#turn(answer, 'watch ended', 0);
      audience.ended();
    } else if (kind === RecordKind.watchFailed || kind === RecordKind.listFailed) {
      await this.#failed(exchange, answer);
    }
  }

  async #page(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    const { json } = this.#options;
    const page = json(answer) as Page;
    if (exchange.answers[0] === answer && exchange.request.continueToken === undefined) {
      this.#items = [];
    }
    await this.#turn(answer, 'page', this.#items.length);
    this.#audience.refuse(undefined);
    if (page.continueToken !== undefined) return;
    this.#audience.listed(this.#items, page.resourceVersion);
    this.#items = [];
  }

  async #event(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    this.#batch.push(recordedEvent<T>(answer));
    if ((answer.flags & LAST_OF_BATCH) === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    await this.#turn(answer, 'events', batch.length);
    if (!isStreamingList(exchange) || this.#complete.has(exchange)) {
      this.#audience.changed(batch);
      return;
    }
    if (this.#streamed !== exchange) this.#initial = [];
    this.#streamed = exchange;
    const end = batch.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
    for (const event of batch.slice(0, end < 0 ? undefined : end)) {
      if (event.type !== 'BOOKMARK') this.#initial.push(event.object);
    }
    const bookmark = batch[end];
    if (bookmark?.type !== 'BOOKMARK') return;
    this.#complete.add(exchange);
    this.#audience.listed(this.#initial, bookmark.resourceVersion);
    this.#initial = [];
    const rest = batch.slice(end + 1);
    if (rest.length > 0) this.#audience.changed(rest);
  }

  async #failed(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    const { json } = this.#options;
    const recorded = json(answer) as RecordedError;
    await this.#turn(answer, recorded.message, 0);
    const error = replayedError(recorded);
    this.#audience.refuse(error);
    const wasOpen = exchange.answers[0]?.kind === RecordKind.watchAccepted;
    if (wasOpen) this.#audience.ended(error);
  }

  async #turn(answer: RecordedAnswer, what: string, count: number): Promise<void> {
    const { description: collection } = this.recorded;
    await this.#options.turn(answer, { what, count, collection });
  }
}

interface Page {
  readonly resourceVersion: string;
  readonly continueToken?: string | undefined;
}
