import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { viewOf } from '../format/file-object.ts';
import { replayedError, type RecordedError } from '../format/recorded-error.ts';
import { LAST_OF_BATCH, RecordKind } from '../format/record-frame.ts';
import type { Exchange, ReadRecording, RecordedAnswer } from './read-recording.ts';
import { recordedEvent } from './recorded-event.ts';
import { isStreamingList } from './replay-course.ts';

/** Who gets a recording that is played, whatever the programs ask that read it. */
export interface ReplayAudience<T extends KubernetesObject> {
  /** Resolves when someone watches: what follows the first list waits for it. */
  watched(signal: AbortSignal): Promise<void>;
  listed(items: readonly ObjectView<T>[], resourceVersion: string): void;
  changed(batch: readonly WatchEvent<ObjectView<T>>[]): void;
  /** The watch has ended, with the error if it failed. */
  ended(error?: Error): void;
  /** What the recorded program got in place of an answer; undefined with the next answer. */
  refuse(error: Error | undefined): void;
}

export interface PlayOptions<T extends KubernetesObject> {
  readonly recording: ReadRecording;
  readonly audience: ReplayAudience<T>;
  /** Resolves when an answer is due. */
  readonly turn: (answer: RecordedAnswer, what: string, count: number) => Promise<void>;
  /** What follows is in the time of the recording from now on. */
  readonly begin: (atMs: number) => void;
  readonly signal: AbortSignal;
}

type Row = readonly [Exchange, RecordedAnswer];

/** Plays a recording from its first record to its last. */
export async function playRecording<T extends KubernetesObject>(
  options: PlayOptions<T>,
): Promise<void> {
  const rows = options.recording.exchanges.flatMap((exchange) =>
    exchange.answers.map((answer): Row => [exchange, answer]),
  );
  const player = new Player<T>(options);
  for (const row of rows.toSorted(([, one], [, other]) => one.number - other.number)) {
    await player.play(row);
  }
  // A recording that was written because of a failure ends with it.
  options.audience.refuse(undefined);
}

/** The objects of a recording, one after the other. */
export function* recordedObjects({ exchanges }: ReadRecording): Generator<ObjectView> {
  for (const { answers } of exchanges) {
    for (const { kind, body } of answers) {
      if (kind === RecordKind.item || kind === RecordKind.event) yield viewOf(body);
    }
  }
}

class Player<T extends KubernetesObject> {
  readonly #options: PlayOptions<T>;
  /** The items of a list that is not complete. */
  #items: ObjectView<T>[] = [];
  /** Those of a list that comes as a stream. */
  #initial: ObjectView<T>[] = [];
  readonly #complete = new Set<Exchange>();
  #batch: WatchEvent<ObjectView<T>>[] = [];
  #isListed = false;
  #listedAtMs = 0;
  #isWatched = false;

  constructor(options: PlayOptions<T>) {
    this.#options = options;
  }

  async play([exchange, answer]: Row): Promise<void> {
    const { audience } = this.#options;
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
    const { recording, audience } = this.#options;
    const page = recording.json(answer) as Page;
    if (exchange.answers[0] === answer && exchange.request.continueToken === undefined) {
      this.#items = [];
    }
    await this.#turn(answer, 'page', this.#items.length);
    audience.refuse(undefined);
    if (page.continueToken !== undefined) return;
    this.#listed(this.#items, page.resourceVersion, answer);
    this.#items = [];
  }

  #listed(items: readonly ObjectView<T>[], resourceVersion: string, answer: RecordedAnswer): void {
    this.#options.audience.listed(items, resourceVersion);
    if (!this.#isListed) this.#listedAtMs = answer.atMs;
    this.#isListed = true;
  }

  async #event(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    this.#batch.push(recordedEvent<T>(answer));
    if ((answer.flags & LAST_OF_BATCH) === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    await this.#turn(answer, 'events', batch.length);
    if (!isStreamingList(exchange) || this.#complete.has(exchange)) {
      this.#options.audience.changed(batch);
      return;
    }
    if (exchange.answers[1]?.number === answer.number) this.#initial = [];
    const end = batch.findIndex((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
    for (const event of batch.slice(0, end < 0 ? undefined : end)) {
      if (event.type !== 'BOOKMARK') this.#initial.push(event.object);
    }
    const bookmark = batch[end];
    if (bookmark?.type !== 'BOOKMARK') return;
    this.#complete.add(exchange);
    this.#listed(this.#initial, bookmark.resourceVersion, answer);
    this.#initial = [];
    const rest = batch.slice(end + 1);
    if (rest.length > 0) this.#options.audience.changed(rest);
  }

  async #failed(exchange: Exchange, answer: RecordedAnswer): Promise<void> {
    const { recording, audience } = this.#options;
    const recorded = recording.json(answer) as RecordedError;
    await this.#turn(answer, recorded.message, 0);
    const error = replayedError(recorded);
    audience.refuse(error);
    const wasOpen = exchange.answers[0]?.kind === RecordKind.watchAccepted;
    if (wasOpen) audience.ended(error);
  }

  /** Behind the first list nothing happens before someone watches. */
  async #turn(answer: RecordedAnswer, what: string, count: number): Promise<void> {
    const { audience, signal, begin, turn } = this.#options;
    if (this.#isListed && !this.#isWatched) {
      await audience.watched(signal);
      this.#isWatched = true;
      begin(this.#listedAtMs);
    }
    await turn(answer, what, count);
  }
}

interface Page {
  readonly resourceVersion: string;
  readonly continueToken?: string | undefined;
}
