import { errorMessage } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { GatheredReplace } from './gathered-replace.ts';
import type { ReflectorSink, StagedReplace } from '../contract/reflector-sink.ts';

export interface StagedListOptions<V extends HasMetadata> {
  readonly sink: ReflectorSink<V>;
  readonly keyFunc: KeyFunc;
  readonly logger: Logger;
  readonly name: string;
}

/**
 * The list that a reflector is bringing into its sink, if it is: begun with its first piece, over with `commit` or `discard`.
 * Whatever the sink throws is thrown, but for a `discard` that fails, which is logged.
 */
export class StagedList<V extends HasMetadata> {
  readonly #options: StagedListOptions<V>;
  #stage: StagedReplace<V> | undefined;
  #taken = 0;

  constructor(options: StagedListOptions<V>) {
    this.#options = options;
  }

  /** Items that were added so far. */
  get taken(): number {
    return this.#taken;
  }

  add(items: readonly V[]): void {
    this.#open().add(items);
    this.#taken += items.length;
  }

  apply(events: readonly WatchEvent<V>[]): void {
    this.#open().apply(events);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.#stage?.waitForRoom?.();
  }

  /** Makes the list the content of the sink; returns its size. After a throw it is still to be discarded. */
  commit(resourceVersion: string): number {
    const size = this.#open().commit(resourceVersion);
    this.#stage = undefined;
    this.#taken = 0;
    return size;
  }

  /** Gives the list up; harmless when there is none. */
  discard(): void {
    const stage = this.#stage;
    this.#stage = undefined;
    this.#taken = 0;
    if (stage === undefined) return;
    try {
      stage.discard();
    } catch (error) {
      const { logger, name } = this.#options;
      const text = `reflector ${name}: the sink failed to discard a list: ${errorMessage(error)}`;
      logger.error(text, { error });
    }
  }

  #open(): StagedReplace<V> {
    const { sink } = this.#options;
    this.#stage ??= sink.stage?.() ?? new GatheredReplace<V>(this.#options);
    return this.#stage;
  }
}
