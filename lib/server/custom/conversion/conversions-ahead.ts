/** Batches whose conversion has begun before the reader asks for them; as many events kube-apiserver converts at once. */
const BATCHES_AHEAD = 10;

type Result<Batch> = IteratorResult<Batch, undefined>;

/**
 * The batches of a watch, converted: while one conversion runs, those of later batches begin.
 *
 * Guarantees:
 * - The order of the batches stays, and a failure comes after the batches before it. It ends the iteration.
 * - At most `BATCHES_AHEAD` batches are held. `return` does not wait for a read or a conversion in progress.
 *
 * @see apiserver pkg/storage/etcd3/watcher.go concurrentOrderedEventProcessing @ v0.37.2
 */
export class ConversionsAhead<Batch> implements AsyncIterableIterator<Batch, undefined> {
  readonly #source: AsyncIterator<Batch>;
  readonly #convert: (batch: Batch) => Promise<Batch>;
  /** In the order of the batches. */
  readonly #begun: Promise<Result<Batch>>[] = [];
  #reading: Promise<void> | undefined;
  #ended = false;

  constructor(source: AsyncIterable<Batch>, convert: (batch: Batch) => Promise<Batch>) {
    this.#source = source[Symbol.asyncIterator]();
    this.#convert = convert;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Awaits the conversion of the next batch. A caller waits for it before it calls again. */
  async next(): Promise<Result<Batch>> {
    this.#readAhead();
    while (this.#begun.length === 0 && this.#reading !== undefined) await this.#reading;
    const first = this.#begun.shift();
    this.#readAhead();
    try {
      return (await first) ?? DONE;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  return(): Promise<Result<Batch>> {
    this.#end();
    return Promise.resolve(DONE);
  }

  #end(): void {
    this.#ended = true;
    this.#begun.length = 0;
    // Of a generator it waits for the read in progress, which ends when the watch is closed.
    this.#source.return?.().catch(() => {});
  }

  #readAhead(): void {
    if (this.#ended || this.#reading !== undefined || this.#begun.length >= BATCHES_AHEAD) return;
    this.#reading = this.#source.next().then(
      (result) => {
        this.#reading = undefined;
        if (this.#ended) return;
        if (result.done === true) this.#ended = true;
        else this.#begin(this.#converted(result.value));
        this.#readAhead();
      },
      (error: unknown) => {
        this.#reading = undefined;
        this.#ended = true;
        this.#begin(failed(error));
      },
    );
  }

  async #converted(batch: Batch): Promise<Result<Batch>> {
    return { done: false, value: await this.#convert(batch) };
  }

  #begin(conversion: Promise<Result<Batch>>): void {
    // The reader may leave before it comes to this one.
    conversion.catch(() => {});
    this.#begun.push(conversion);
  }
}

async function failed(error: unknown): Promise<never> {
  throw error;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
