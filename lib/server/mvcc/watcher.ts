import { nextTask } from '../../kernel/time/wait.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KeyValueWatch, KeyValueWatchMessage, Revision } from './contract/key-value-store.ts';
import { compactedError } from './contract/revision-errors.ts';
import type { EventMessage, RevisionEvents } from './revision-log.ts';
import { concerns, type Interest } from './watcher-table.ts';

/** The history that a watcher reads while it catches up. */
export interface WatchHistory {
  readonly revision: Revision;
  readonly compactedRevision: Revision;
  /** The compacted revision, or the next one if the changes of the compacted one are not known. */
  readonly oldestWatchable: Revision;
  eventsAt(revision: Revision): RevisionEvents | undefined;
}

export interface WatcherOptions {
  readonly runtime: Runtime;
  readonly history: WatchHistory;
  readonly interest: Interest;
  /** First revision to deliver. */
  readonly start: Revision;
  readonly previous: boolean;
  readonly progressNotify: boolean;
  /** Maximum number of events buffered for a busy reader. */
  readonly bufferEvents: number;
  /** Maximum size of the values buffered for a busy reader, in bytes. */
  readonly bufferBytes: number;
  /** Called once, when the watch has ended for any reason. */
  readonly onEnd: (watcher: Watcher) => void;
}

/** Number of events read from the log at a time, and of revisions searched for them in one task. */
const CATCH_UP_EVENTS = 1000;
const CATCH_UP_REVISIONS = 10_000;

/**
 * One watch: a position in the history and a small buffer of events after it.
 *
 * While it is synced, each commit appends its events to the buffer. When the buffer is full it is left as it is, and the watcher
 * falls behind: after the reader has emptied the buffer, events come from the log until the watcher is synced again. A slow
 * reader therefore costs one bounded buffer, and loses events only if compaction overtakes it.
 */
export class Watcher implements KeyValueWatch {
  readonly startedAt: Revision;
  readonly interest: Interest;
  readonly progressNotify: boolean;
  readonly #options: WatcherOptions;
  /** First revision that is neither buffered nor delivered. While synced it is only a lower bound. */
  #next: Revision;
  #state: 'synced' | 'behind' | 'ended';
  #buffer: EventMessage[] = [];
  #bufferBytes = 0;
  /** The revision whose events are being added, and the size of the buffer before it. */
  #incoming: Revision = 0n;
  #sizeBefore = 0;
  #progressRequested = false;
  #quiet = true;
  #wake: (() => void) | undefined;
  #reading = false;

  constructor(options: WatcherOptions) {
    const { history, start } = options;
    this.#options = options;
    this.interest = options.interest;
    this.progressNotify = options.progressNotify;
    this.startedAt = history.revision;
    this.#next = start;
    this.#state = start > history.revision ? 'synced' : 'behind';
  }

  /** Adds one event of the revision being committed; all events of one revision come in one synchronous block. */
  offer(message: EventMessage): void {
    const { kv } = message.event;
    if (this.#state !== 'synced' || kv.modRevision < this.#next) return;
    if (this.#incoming !== kv.modRevision) {
      this.#incoming = kv.modRevision;
      this.#sizeBefore = this.#buffer.length;
    }
    this.#quiet = false;
    this.#signal();
    const { bufferEvents, bufferBytes } = this.#options;
    this.#bufferBytes += kv.value.byteLength;
    const full = this.#buffer.length >= bufferEvents || this.#bufferBytes > bufferBytes;
    if (!full) {
      this.#buffer.push(message);
      return;
    }
    // A revision is never split: its buffered events are removed, and all of them are read from the log later.
    this.#buffer.length = this.#sizeBefore;
    this.#next = kv.modRevision;
    this.#state = 'behind';
  }

  requestProgress(): Promise<void> {
    this.#progressRequested = true;
    this.#signal();
    return Promise.resolve();
  }

  /** Requests progress if no event came since the last call. */
  requestProgressIfQuiet(): void {
    if (this.#quiet) {
      this.#progressRequested = true;
      this.#signal();
    }
    this.#quiet = true;
  }

  destroy(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#buffer = [];
    this.#signal();
    this.#options.onEnd(this);
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly KeyValueWatchMessage[], undefined> {
    return {
      next: () => this.#read(),
      return: (): Promise<IteratorResult<readonly KeyValueWatchMessage[], undefined>> => {
        this.destroy();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #read(): Promise<IteratorResult<readonly KeyValueWatchMessage[], undefined>> {
    if (this.#reading) {
      throw new ListwatchError('ALREADY_STARTED', 'a watch has one reader, and it is reading');
    }
    this.#reading = true;
    try {
      return await this.#nextBatch();
    } finally {
      this.#reading = false;
    }
  }

  async #nextBatch(): Promise<IteratorResult<readonly KeyValueWatchMessage[], undefined>> {
    while (this.#state !== 'ended') {
      const batch = this.#take();
      if (batch.length > 0) return { done: false, value: batch };
      if (this.#state === 'behind') {
        await nextTask(this.#options.runtime);
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    return { done: true, value: undefined };
  }

  /** The events that can be delivered now. */
  #take(): readonly KeyValueWatchMessage[] {
    const messages: KeyValueWatchMessage[] = this.#withPrevious(this.#buffer);
    this.#buffer = [];
    this.#bufferBytes = 0;
    this.#sizeBefore = 0;
    if (this.#state === 'behind' && messages.length === 0) this.#catchUp(messages);
    if (this.#state === 'synced') this.#addProgress(messages);
    return messages;
  }

  #catchUp(messages: KeyValueWatchMessage[]): void {
    const { history, interest } = this.#options;
    if (this.#next < history.oldestWatchable) {
      this.destroy();
      throw compactedError(this.#next, history.oldestWatchable);
    }
    for (let done = 0; done < CATCH_UP_REVISIONS && messages.length < CATCH_UP_EVENTS; done += 1) {
      if (this.#next > history.revision) break;
      const boundary = this.#next === history.compactedRevision;
      for (const message of history.eventsAt(this.#next) ?? []) {
        if (!concerns(interest, message.event.kv.key)) continue;
        messages.push(boundary || !this.#options.previous ? withoutPrevious(message) : message);
      }
      this.#next += 1n;
    }
    if (this.#next > history.revision) this.#state = 'synced';
  }

  #withPrevious(events: EventMessage[]): EventMessage[] {
    return this.#options.previous ? events : events.map(withoutPrevious);
  }

  #addProgress(messages: KeyValueWatchMessage[]): void {
    const { revision } = this.#options.history;
    if (!this.#progressRequested || revision < this.#next - 1n) return;
    this.#progressRequested = false;
    messages.push({ type: 'progress', revision });
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function withoutPrevious(message: EventMessage): EventMessage {
  const { type, kv, previous } = message.event;
  return previous === undefined ? message : { type: 'event', event: { type, kv } };
}
