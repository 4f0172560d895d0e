import assert from 'node:assert/strict';
import { isListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type {
  KeyValueEvent,
  KeyValueWatch,
  KeyValueWatchMessage,
  Revision,
} from '../../server/mvcc/contract/key-value-store.ts';

type Result = IteratorResult<readonly KeyValueWatchMessage[]>;

/** Longest wait for an expected message, milliseconds. */
const MESSAGE_WITHIN_MS = 10_000;
/** A watch without a message for this long counts as silent, milliseconds. */
const SILENCE_MS = 300;

/** Reads a watch message by message, with a deadline on each. */
export class KeyValueWatchProbe {
  readonly watch: KeyValueWatch;
  readonly #runtime: Runtime;
  readonly #base: Revision;
  readonly #iterator: AsyncIterator<readonly KeyValueWatchMessage[]>;
  #pending: Promise<Result> | undefined;
  #messages: KeyValueWatchMessage[] = [];

  /** Revisions are relative to `base`. */
  constructor(watch: KeyValueWatch, runtime: Runtime, base: Revision) {
    this.watch = watch;
    this.#runtime = runtime;
    this.#base = base;
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  /** The next message; undefined at the end of the watch. Rejects when the watch fails, or with TIMEOUT. */
  async next(withinMs: number = MESSAGE_WITHIN_MS): Promise<KeyValueWatchMessage | undefined> {
    if (this.#messages.length === 0) this.#messages = [...(await this.batch(withinMs))];
    return this.#messages.shift();
  }

  /** The next whole batch; empty at the end of the watch. */
  async batch(timeoutMs: number = MESSAGE_WITHIN_MS): Promise<readonly KeyValueWatchMessage[]> {
    assert.equal(this.#messages.length, 0, 'a batch has been read in part');
    // After a timeout, the next call continues the same read.
    this.#pending ??= this.#iterator.next();
    try {
      const describe = (): string => 'the next message of a watch';
      const result = await withDeadline(this.#runtime, this.#pending, { timeoutMs, describe });
      this.#pending = undefined;
      return result.done === true ? [] : result.value;
    } catch (error) {
      if (!isListwatchError(error, 'TIMEOUT')) this.#pending = undefined;
      throw error;
    }
  }

  /** The next message, which must be an event. */
  async event(): Promise<KeyValueEvent> {
    const message = await this.next();
    assert(message?.type === 'event', `an event instead of ${message?.type ?? 'the end'}`);
    return message.event;
  }

  /** Expects these messages next; see `describe`. */
  async expect(...lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const message = await this.next();
      assert.equal(message === undefined ? 'end' : this.describe(message), line);
    }
  }

  /** The next `count` messages. */
  async take(count: number): Promise<string[]> {
    const lines: string[] = [];
    while (lines.length < count) {
      const message = await this.next();
      if (message === undefined) return [...lines, 'end'];
      lines.push(this.describe(message));
    }
    return lines;
  }

  async expectSilence(): Promise<void> {
    let message: KeyValueWatchMessage | undefined;
    try {
      message = await this.next(SILENCE_MS);
    } catch (error) {
      if (isListwatchError(error, 'TIMEOUT')) return;
      throw error;
    }
    assert.fail(`nothing should have come, not ${message?.type ?? 'the end'}`);
  }

  /** Expects the watch to fail at once with this code, and returns the message. */
  async failure(code: ErrorCode): Promise<string> {
    try {
      const message = await this.next();
      assert.fail(`the watch should have failed, not brought ${message?.type ?? 'the end'}`);
    } catch (error) {
      if (isListwatchError(error, code)) return error.message;
      throw error;
    }
  }

  /** `put key=value@step`, `delete key@step`, with ` after value@step` where there is a previous state; `progress@step`. */
  describe(message: KeyValueWatchMessage): string {
    if (message.type === 'progress') return `progress@${this.#step(message.revision)}`;
    const { type, kv, previous } = message.event;
    const what = type === 'put' ? `${kv.key}=${textOf(kv.value)}` : kv.key;
    const line = `${type} ${what}@${this.#step(kv.modRevision)}`;
    if (previous === undefined) return line;
    return `${line} after ${textOf(previous.value)}@${this.#step(previous.modRevision)}`;
  }

  #step(revision: Revision): bigint {
    return revision - this.#base;
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
