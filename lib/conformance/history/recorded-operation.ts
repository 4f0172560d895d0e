import type {
  KeyValueWatchMessage,
  KeyValueWatchRequest,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
} from '../../server/mvcc/contract/key-value-store.ts';

/** The outcome of a call. */
export type Outcome<Response> =
  | { readonly type: 'answered'; readonly response: Response }
  /** It was not carried out and will not be. */
  | { readonly type: 'refused'; readonly reason: string }
  /** It was carried out, may be carried out later, or never. */
  | { readonly type: 'unknown'; readonly reason: string };

interface Recorded<Type extends string, Request, Response> {
  readonly type: Type;
  /** Unique in its history. */
  readonly id: number;
  /** The client that called. */
  readonly client: string;
  /** The times of call and return on a common clock of all clients; only their order matters. */
  readonly calledAt: number;
  /** `Infinity` if the outcome is unknown: it may take effect at any later time. */
  readonly returnedAt: number;
  readonly request: Request;
  readonly outcome: Outcome<Response>;
}

export type RecordedRange = Recorded<'range', RangeRequest, RangeResponse>;
export type RecordedTxn = Recorded<'txn', TxnRequest, TxnResponse>;

/** A call of a key-value store and its result. */
export type RecordedOperation = RecordedRange | RecordedTxn;

/** A requested compaction, whether or not it got a response. */
export interface RecordedCompaction {
  readonly revision: Revision;
  readonly calledAt: number;
}

/** One batch of a watch, as its reader received it. */
export interface RecordedBatch {
  readonly receivedAt: number;
  readonly messages: readonly KeyValueWatchMessage[];
}

/** A watch from its registration to its end. */
export interface WatchRecording {
  readonly client: string;
  readonly request: Omit<KeyValueWatchRequest, 'signal'>;
  /** See `KeyValueWatch.startedAt`. */
  readonly startedAt: Revision;
  readonly batches: readonly RecordedBatch[];
  /** Undefined while it runs; without an error if its reader left. */
  readonly end: { readonly error?: string | undefined } | undefined;
}
