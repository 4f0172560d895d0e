/** The page that a collection is read with first, keys: of the largest values that etcd takes, it is about 750 MB. */
const FIRST_KEYS = 500;
/** As in the pages of a watch cache (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
const MOST_KEYS = 10_000;
/** A larger answer makes the next page smaller; bytes. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** An answer is not slow because of its size if it is smaller, bytes. */
const SMALL_BYTES = 1024 * 1024;
/** The shares of the time limit of a member from which an answer is slow, and below which it is quick. */
const SLOW_SHARE = 1 / 3;
const QUICK_SHARE = 1 / 6;

export interface AnsweredPage {
  /** How many keys were asked for. */
  readonly asked: number;
  readonly keys: number;
  /** Of the keys and the values. */
  readonly bytes: number;
  /** Keys of the collection after this page. */
  readonly keysAfter: number;
  readonly tookMs: number;
}

/**
 * How many keys the next page of a collection asks for. An answer that does not come in time, that is slow or that is large, halves
 * it; one that is quick, and small enough for twice as many, doubles it.
 *
 * Guarantee: it is from 1 to 10 000.
 */
export class PageSize {
  readonly #slowMs: number;
  readonly #quickMs: number;
  #keys = FIRST_KEYS;
  #failed = 0;
  #answered: AnsweredPage | undefined;

  /** `memberTimeoutMs`: how long one member may take for an answer, milliseconds. */
  constructor(memberTimeoutMs: number) {
    this.#slowMs = memberTimeoutMs * SLOW_SHARE;
    this.#quickMs = memberTimeoutMs * QUICK_SHARE;
  }

  get keys(): number {
    return this.#keys;
  }

  answered(page: AnsweredPage): void {
    const { asked, keys, bytes, tookMs } = page;
    this.#answered = page;
    const isSlow = tookMs > this.#slowMs && bytes > SMALL_BYTES;
    if (bytes > LARGE_BYTES || isSlow) this.#halve(Math.min(asked, keys));
    else if (keys >= this.#keys && bytes <= LARGE_BYTES / 2 && tookMs <= this.#quickMs) {
      this.#keys = Math.min(MOST_KEYS, this.#keys * 2);
    }
  }

  /** A page of so many keys was too much. Returns whether a smaller one can be asked for. */
  failed(asked: number): boolean {
    this.#failed = asked;
    this.#halve(asked);
    return asked > 1;
  }

  /** The items that were read, and the remedy for a page that failed. */
  explain(): string {
    const answered =
      this.#answered === undefined
        ? 'none was answered before'
        : `the one answered last had ${amountOf(this.#answered)}, with ${keysOf(this.#answered.keysAfter)} after it`;
    const next =
      this.#failed > 1
        ? `the next read asks for ${keysOf(this.#keys)}`
        : 'raise memberTimeoutMs and requestTimeoutMs';
    return `the last page was of ${keysOf(this.#failed)}, and ${answered}; ${next}, or find out why the member or the network is slow`;
  }

  #halve(asked: number): void {
    this.#keys = Math.max(1, Math.min(this.#keys, Math.floor(asked / 2)));
  }
}

function amountOf({ keys, bytes }: AnsweredPage): string {
  return `${keysOf(keys)} and ${bytes} bytes`;
}

function keysOf(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
