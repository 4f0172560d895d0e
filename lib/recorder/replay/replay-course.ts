import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import { abortable } from '../../kernel/time/abort.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type { Exchange, RecordedAnswer, RecordedReader } from './read-recording.ts';
import { LAST_OF_BATCH, RecordKind } from '../format/record-frame.ts';

/**
 * How far a replay has come: which requests of the recording are over, and how much of its present watch was given.
 *
 * A program that leaves a watch earlier than the recorded one did gets the rest with its next watch, so that nothing is lost.
 */
export class ReplayCourse {
  readonly #exchanges: readonly Exchange[];
  readonly #over = new Set<Exchange>();
  /** How many answers of a watch were given. */
  readonly #given = new Map<Exchange, number>();
  /** The answers that a program gets, in the order of the file, from the first one on that was not given. */
  readonly #answers: RingBuffer<readonly [RecordedAnswer, Exchange]> = new RingBuffer();
  /** The number of the last answer of a request that was given. */
  readonly #upTo = new Map<Exchange, number>();
  /** The number of the last answer that a program gets; 0 if there is none. */
  readonly lastNumber: number;
  #first = 0;
  #moved: Deferred<void> | undefined;
  /** The watch that a program reads. */
  open: Exchange | undefined;

  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
    const answers = exchanges.flatMap((exchange) =>
      exchange.answers.filter(isDelivered).map((answer) => [answer, exchange] as const),
    );
    answers.sort(([one], [other]) => one.number - other.number);
    for (const answer of answers) this.#answers.push(answer);
    this.lastNumber = answers.at(-1)?.[0].number ?? 0;
  }

  /** The first answer in the file that was not given, and that a program can still get. */
  get nextAnswer(): RecordedAnswer | undefined {
    for (;;) {
      const first = this.#answers.peek();
      if (first === undefined) return undefined;
      const [answer, exchange] = first;
      const isGiven = answer.number <= (this.#upTo.get(exchange) ?? 0);
      if (!isGiven && !this.#over.has(exchange)) return answer;
      this.#answers.shift();
    }
  }

  /** The answers of a request up to this one were given. */
  gave(exchange: Exchange, number: number): void {
    this.#upTo.set(exchange, number);
  }

  /** The oldest request that is not over. */
  get next(): Exchange | undefined {
    return this.#exchanges[this.#first];
  }

  /** The list that was requested while the present watch was open, if that is the next thing. */
  get listBesideOpen(): Exchange | undefined {
    const { open, next } = this;
    if (open === undefined || open !== next) return undefined;
    const following = this.#exchanges.slice(this.#first + 1).find((one) => !this.#over.has(one));
    return following?.kind === 'list' ? following : undefined;
  }

  given(exchange: Exchange): number {
    return this.#given.get(exchange) ?? 0;
  }

  give(exchange: Exchange, count: number): void {
    this.#given.set(exchange, count);
  }

  /** Nothing of a request is left. */
  end(exchange: Exchange): void {
    this.#over.add(exchange);
    this.#moved?.resolve();
    this.#moved = undefined;
    for (;;) {
      const { next } = this;
      if (next === undefined || !this.#over.has(next)) return;
      this.#first += 1;
    }
  }

  /** Resolves when another request is over. */
  async moved(signal: AbortSignal | undefined): Promise<void> {
    this.#moved ??= deferred<void>();
    await abortable(this.#moved.promise, signal);
  }

  /** The request after which the recorded program went on, which is when it left this one. */
  after(exchange: Exchange): Exchange | undefined {
    return this.#exchanges
      .slice(this.#exchanges.indexOf(exchange) + 1)
      .find((one) => !this.#over.has(one));
  }
}

export function isStreamingList({ request }: Exchange): boolean {
  return request.sendInitialEvents === true;
}

/** The number of answers up to the end of the initial events; 0 if they have no end. */
export function initialAnswers({ answers }: Exchange): number {
  const end = answers.findIndex(
    (answer) =>
      answer.kind === RecordKind.bookmark && answer.body.includes('"initialEventsEnd":true'),
  );
  return end + 1;
}

/** The number of the last record of the first list of a reader; undefined if none is complete. */
export function firstListEnd({ exchanges }: RecordedReader): number | undefined {
  for (const exchange of exchanges) {
    const { answers, kind } = exchange;
    if (kind === 'list') {
      const last = answers.at(-1);
      const isComplete = last?.kind === RecordKind.pageEnd && !last.body.includes(CONTINUES);
      if (isComplete) return last.number;
      continue;
    }
    const count = isStreamingList(exchange) ? initialAnswers(exchange) : 0;
    if (count === 0) continue;
    const end = answers.slice(count - 1).find(({ flags }) => (flags & LAST_OF_BATCH) !== 0);
    return (end ?? answers.at(-1))?.number;
  }
  return undefined;
}

/** The end of a page that others follow. */
const CONTINUES = '"continueToken":';

/** Whether a replay passes it on, so that its end can be waited for. */
export function isDelivered({ kind, flags }: RecordedAnswer): boolean {
  switch (kind) {
    case RecordKind.event:
    case RecordKind.bookmark:
      // A batch comes as a whole, or not at all if the file was cut short within it.
      return (flags & LAST_OF_BATCH) !== 0;
    case RecordKind.watchAccepted:
    case RecordKind.watchLeft:
    case RecordKind.item:
      return false;
    default:
      return true;
  }
}
