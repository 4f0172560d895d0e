import type { ServerResponse } from 'node:http';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { InspectorSnapshot, SnapshotUpdate } from '../contract/inspector-snapshot.ts';
import { headersOf, sendAnswer, textAnswer } from './answer.ts';

export interface SnapshotFeedOptions {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Between two updates, milliseconds. */
  readonly intervalMs: number;
  readonly read: () => Promise<InspectorSnapshot>;
}

/** Pages that get updates at the same time. */
const MOST_PAGES = 20;
/** A browser that has read nothing for so long is disconnected; it connects again when it is back. */
const STUCK_MS = 60_000;

interface Page {
  readonly response: ServerResponse;
  /** Nothing was sent so far. */
  fresh: boolean;
  dropped: number;
  /** Since when nothing could be written; undefined while it reads. */
  stuckSinceMs: number | undefined;
}

/**
 * Sends snapshots to open pages, as server-sent events.
 *
 * Guarantees: while no page is connected nothing is read and no timer runs. A browser that reads slowly has one update in its buffer; it
 * misses those that come meanwhile, and gets their number.
 */
export class SnapshotFeed {
  readonly #options: SnapshotFeedOptions;
  readonly #pages = new Set<Page>();
  #timer: Timer | undefined;
  #sending = false;
  #closed = false;
  #updates = 0;

  constructor(options: SnapshotFeedOptions) {
    this.#options = options;
  }

  get pages(): number {
    return this.#pages.size;
  }

  /** Snapshots that were read. */
  get updates(): number {
    return this.#updates;
  }

  /** Connects a page, which gets the first snapshot at once. */
  async connect(response: ServerResponse): Promise<void> {
    if (this.#closed || this.#pages.size >= MOST_PAGES) {
      const problem = this.#closed ? 'The inspector is closed.' : `${MOST_PAGES} pages are open.`;
      await sendAnswer(response, textAnswer(503, problem), 'GET');
      return;
    }
    const contentType = 'text/event-stream';
    response.writeHead(200, headersOf({ status: 200, contentType, body: '' }));
    const page: Page = { response, fresh: true, dropped: 0, stuckSinceMs: undefined };
    this.#pages.add(page);
    response.once('close', () => {
      this.#pages.delete(page);
      if (this.#pages.size === 0) this.#pause();
    });
    this.#pause();
    await this.#send();
  }

  /** Disconnects all pages. */
  close(): void {
    this.#closed = true;
    this.#pause();
    for (const { response } of this.#pages) response.end();
  }

  #pause(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #plan(): void {
    if (this.#closed || this.#pages.size === 0 || this.#timer !== undefined) return;
    const { runtime, intervalMs } = this.#options;
    const next = (): void => {
      this.#timer = undefined;
      void this.#send();
    };
    this.#timer = runtime.setTimer(intervalMs, next, { background: true });
  }

  /** Awaits the snapshot; pages may come and go meanwhile. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      // With slow browsers alone, nothing need be read.
      if (this.#readers().length > 0) {
        const snapshot = await this.#options.read();
        this.#updates += 1;
        for (const page of this.#pages) write(page, snapshot);
      }
    } catch (error) {
      this.#options.logger.error('the inspector cannot read the state', {
        error,
      });
    } finally {
      this.#sending = false;
      this.#plan();
    }
  }

  /** The pages that have read what they were sent. The others are counted, and disconnected after a minute. */
  #readers(): readonly Page[] {
    const nowMs = this.#options.runtime.monotonicMs();
    const readers: Page[] = [];
    for (const page of this.#pages) {
      if (page.response.writableLength === 0) {
        page.stuckSinceMs = undefined;
        readers.push(page);
        continue;
      }
      page.dropped += 1;
      page.stuckSinceMs ??= nowMs;
      if (nowMs - page.stuckSinceMs >= STUCK_MS) page.response.destroy();
    }
    return readers;
  }
}

function write(page: Page, snapshot: InspectorSnapshot): void {
  if (page.response.writableLength > 0 || page.response.writableEnded) return;
  const update: SnapshotUpdate = { snapshot, dropped: page.dropped };
  // A lost connection is tried again after this time, milliseconds.
  const retry = page.fresh ? 'retry: 2000\n' : '';
  page.fresh = false;
  page.response.write(`${retry}data: ${JSON.stringify(update)}\n\n`);
}
