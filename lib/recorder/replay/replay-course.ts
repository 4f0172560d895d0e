import { abortable } from '../../kernel/time/abort.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type { Exchange, RecordedAnswer } from './read-recording.ts';
import { RecordKind } from '../format/record-frame.ts';

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
  #first = 0;
  #moved: Deferred<void> | undefined;
  /** The watch that a program reads. */
  open: Exchange | undefined;

  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
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
    ({ kind, body }) => kind === RecordKind.bookmark && body.includes('"initialEventsEnd":true'),
  );
  return end + 1;
}

/** Whether a replay passes it on, so that its end can be waited for. */
export function isDelivered({ kind }: RecordedAnswer): boolean {
  return (
    kind !== RecordKind.watchAccepted && kind !== RecordKind.watchLeft && kind !== RecordKind.item
  );
}
