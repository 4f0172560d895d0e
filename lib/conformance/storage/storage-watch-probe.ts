import assert from 'node:assert/strict';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { StorageWatch } from '../../server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../server/storage/contract/stored-object.ts';
import type { ConformancePod } from './conformance-pod.ts';
import { describePod } from './storage-under-test.ts';

type Event = WatchEvent<StoredObject<ConformancePod>>;
type Result = IteratorResult<readonly Event[]>;

/** Longest wait for an expected event, milliseconds. */
const EVENT_WITHIN_MS = 10_000;
/** A watch without an event for this long counts as silent, milliseconds. */
const SILENCE_MS = 500;

/** Reads a watch event by event, with a deadline on each. */
export class StorageWatchProbe {
  readonly watch: StorageWatch<ConformancePod>;
  readonly #runtime: Runtime;
  readonly #iterator: AsyncIterator<readonly Event[]>;
  #pending: Promise<Result> | undefined;
  #events: Event[] = [];

  constructor(watch: StorageWatch<ConformancePod>, runtime: Runtime) {
    this.watch = watch;
    this.#runtime = runtime;
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  /** The next event; undefined at the end of the watch. Rejects when the watch fails, or with TIMEOUT. */
  async next(withinMs: number = EVENT_WITHIN_MS): Promise<Event | undefined> {
    while (this.#events.length === 0) {
      const { done, value } = await this.#read(withinMs);
      if (done === true) return undefined;
      this.#events = [...value];
    }
    return this.#events.shift();
  }

  /** The next batch; after a timeout, the next call continues the same read. */
  async #read(timeoutMs: number): Promise<Result> {
    this.#pending ??= this.#iterator.next();
    try {
      const describe = (): string => 'the next event of a watch';
      const result = await withDeadline(this.#runtime, this.#pending, { timeoutMs, describe });
      this.#pending = undefined;
      return result;
    } catch (error) {
      if (!isListwatchError(error, 'TIMEOUT')) this.#pending = undefined;
      throw error;
    }
  }

  /** Expects these events next, ignoring bookmarks; see `describeEvent`. */
  async expect(...lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      let event = await this.next();
      while (event?.type === 'BOOKMARK') event = await this.next();
      assert.equal(event === undefined ? 'end' : describeEvent(event), line);
    }
  }

  /** Expects this event next, ignoring bookmarks, from the watch named `name`. */
  async expectNamed(name: string, line: string): Promise<void> {
    try {
      await this.expect(line);
    } catch (error) {
      throw new Error(`the watch of ${name} does not bring ${line}`, { cause: error });
    }
  }

  /** The next message, which must be a bookmark. */
  async bookmark(): Promise<Extract<Event, { type: 'BOOKMARK' }>> {
    const event = await this.next();
    assert(event?.type === 'BOOKMARK', `a bookmark instead of ${event?.type ?? 'the end'}`);
    return event;
  }

  /** Expects no events except bookmarks. */
  async expectSilence(): Promise<void> {
    for (;;) {
      let event: Event | undefined;
      try {
        event = await this.next(SILENCE_MS);
      } catch (error) {
        if (isListwatchError(error, 'TIMEOUT')) return;
        throw error;
      }
      assert.equal(event?.type, 'BOOKMARK', 'nothing should have come');
    }
  }

  /** Expects the watch to fail, and returns the error. */
  async failure(): Promise<{ readonly code?: string }> {
    try {
      for (;;) {
        const event = await this.next();
        assert(event !== undefined, 'the watch should have failed');
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return error as { readonly code?: string };
    }
  }
}

/** `ADDED a/x@node` or `BOOKMARK`. */
export function describeEvent(event: Event): string {
  return event.type === 'BOOKMARK' ? event.type : `${event.type} ${describePod(event.object)}`;
}
