import type {
  KeyValueEvent,
  KeyValueWatchMessage,
  Revision,
} from '../mvcc/contract/key-value-store.ts';
import type { WatchResponse } from './messages.ts';

/** The content of one response of a watch stream. */
export type WatchNews =
  | { readonly type: 'created'; readonly revision: Revision }
  | { readonly type: 'messages'; readonly messages: readonly KeyValueWatchMessage[] }
  /** Everything up to `revision` was delivered. It is a response to a request, or the member sent it unasked. */
  | { readonly type: 'progress'; readonly revision: Revision; readonly isAnswer: boolean }
  | { readonly type: 'nothing' }
  | { readonly type: 'compacted'; readonly asked: Revision; readonly compacted: Revision }
  | { readonly type: 'canceled'; readonly reason: string };

export interface WatchResponsesOptions {
  /** First revision to deliver; undefined until `beginBehind` sets it. */
  readonly start: Revision | undefined;
  readonly trustsProgress: boolean;
}

/** The watch id of responses that concern a whole stream. */
const ALL_WATCHES = -1n;

/**
 * Reads the responses of a watch, joins fragments, and keeps the position at which another stream has to continue.
 *
 * The position is after the last event or the last reliable progress, never the revision in a header: while a member catches up,
 * each of its responses has the current revision, far ahead of the events in it.
 */
export class WatchResponses {
  readonly #trustsProgress: boolean;
  #next: Revision | undefined;
  /** The last event or progress that was delivered. */
  #delivered: Revision = 0n;
  #created = false;
  #fragments: KeyValueEvent[] = [];

  constructor({ start, trustsProgress }: WatchResponsesOptions) {
    this.#next = start;
    this.#trustsProgress = trustsProgress;
  }

  /** The first revision that was not delivered; undefined while the start of a watch from now is not known. */
  get next(): Revision | undefined {
    return this.#next;
  }

  /** Whether the present stream has registered the watch. */
  get created(): boolean {
    return this.#created;
  }

  /**
   * The progress that follows when the cluster is known to have reached `revision`: undefined while events are outstanding. Events
   * that came after `revision` was read make it later, so that progress never goes behind an event.
   */
  progressAt(revision: Revision): Revision | undefined {
    if (this.#next === undefined || revision >= this.#next) return undefined;
    if (revision > this.#delivered) this.#delivered = revision;
    return this.#delivered;
  }

  /** Sets the start of a watch from now. */
  beginBehind(revision: Revision): void {
    this.#next ??= revision + 1n;
  }

  /** Prepares for another stream, which begins at `next`; an incomplete batch of the previous stream is dropped. */
  restart(): void {
    this.#created = false;
    this.#fragments = [];
  }

  take(response: WatchResponse): WatchNews {
    const { revision } = response;
    if (response.canceled) return this.#canceled(response);
    if (response.created) {
      this.#created = true;
      return { type: 'created', revision };
    }
    if (response.events.length > 0 || this.#fragments.length > 0) return this.#events(response);
    return this.#progress(revision, response.watchId);
  }

  #canceled({ compactRevision, cancelReason }: WatchResponse): WatchNews {
    if (compactRevision > 0n) {
      return { type: 'compacted', asked: this.#next ?? 0n, compacted: compactRevision };
    }
    return { type: 'canceled', reason: cancelReason || 'no reason given' };
  }

  #events({ events, fragment }: WatchResponse): WatchNews {
    for (const event of events) this.#fragments.push(event);
    if (fragment) return { type: 'nothing' };
    const whole = this.#fragments;
    this.#fragments = [];
    const first = this.#next ?? 0n;
    const messages: KeyValueWatchMessage[] = [];
    for (const event of whole) {
      // A new stream may begin with events that the last one delivered already.
      if (event.kv.modRevision < first) continue;
      messages.push({ type: 'event', event });
      this.#delivered = event.kv.modRevision;
      this.#next = this.#delivered + 1n;
    }
    return messages.length === 0 ? { type: 'nothing' } : { type: 'messages', messages };
  }

  #progress(revision: Revision, watchId: bigint): WatchNews {
    const isAnswer = watchId === ALL_WATCHES;
    if (isAnswer && !this.#trustsProgress) return { type: 'nothing' };
    if (this.#next !== undefined && revision < this.#next - 1n) return { type: 'nothing' };
    this.#delivered = revision;
    this.#next = revision + 1n;
    return { type: 'progress', revision, isAnswer };
  }
}
