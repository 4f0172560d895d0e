import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ReflectorSink, Relist, ReplaceSink } from '../contract/reflector-sink.ts';
import { gatheredRelist } from './gathered-relist.ts';

export interface SinkRelistOptions<V extends HasMetadata> {
  readonly sink: ReflectorSink<V> | ReplaceSink<V>;
  readonly keyFunc: KeyFunc;
  readonly logger: Logger;
  readonly name: string;
}

/**
 * The relist that a reflector passes to its sink. It begins with its first piece and ends with `commit` or `discard`. Errors of
 * the sink are thrown, except errors of `discard`, which are logged.
 */
export class SinkRelist<V extends HasMetadata> {
  readonly #options: SinkRelistOptions<V>;
  #relist: Relist<V> | undefined;
  #taken = 0;

  constructor(options: SinkRelistOptions<V>) {
    this.#options = options;
  }

  /** Items that were added so far. */
  get taken(): number {
    return this.#taken;
  }

  add(items: readonly V[]): void {
    this.#begun().add(items);
    this.#taken += items.length;
  }

  apply(events: readonly WatchEvent<V>[]): void {
    this.#begun().apply(events);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#relist?.waitForRoom?.();
  }

  /** Makes the relist the content of the sink; returns its size. If it throws, the relist has to be discarded. */
  commit(resourceVersion: string): number {
    const size = this.#begun().commit(resourceVersion);
    this.#relist = undefined;
    this.#taken = 0;
    return size;
  }

  /** Discards the relist, if there is one. */
  discard(): void {
    const relist = this.#relist;
    this.#relist = undefined;
    this.#taken = 0;
    try {
      relist?.discard();
    } catch (error) {
      const { logger, name } = this.#options;
      const text = `reflector ${name}: the sink failed to discard a relist: ${errorMessage(error)}`;
      logger.error(text, { error });
    }
  }

  #begun(): Relist<V> {
    const { sink, keyFunc } = this.#options;
    this.#relist ??= 'beginRelist' in sink ? sink.beginRelist() : gatheredRelist<V>(sink, keyFunc);
    return this.#relist;
  }
}
