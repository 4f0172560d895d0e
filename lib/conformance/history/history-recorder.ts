import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type {
  KeyValueWatchMessage,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
  TxnResponse,
  KeyValueWatchRequest,
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

/**
 * A call of a key-value store and its result.
 *
 * @experimental
 */
export type RecordedOperation = RecordedRange | RecordedTxn;

/** A requested compaction, whether or not it got a response. */
export interface RecordedCompaction {
  readonly revision: Revision;
  readonly calledAt: number;
}

/** One batch of a watch, as its reader received it. */
interface RecordedBatch {
  readonly receivedAt: number;
  readonly messages: readonly KeyValueWatchMessage[];
}

/**
 * A watch from its registration to its end.
 *
 * @experimental
 */
export interface WatchRecording {
  readonly client: string;
  readonly request: Omit<KeyValueWatchRequest, 'signal'>;
  /** See `KeyValueWatch.startedAt`. */
  readonly startedAt: Revision;
  readonly batches: readonly RecordedBatch[];
  /** Undefined while it runs; without an error if its reader left. */
  readonly end: { readonly error?: string | undefined } | undefined;
}

/** @experimental */
export interface HistoryRecorderOptions {
  /** Maximum number of recorded operations and watch batches; further calls are refused. @defaultValue 2 000 000 */
  readonly capacity?: number | undefined;
}

/** The errors with which a `KeyValueStore` refuses a call before it has any effect. */
const REFUSALS = new Set<string>([
  'COMPACTED',
  'FUTURE_REVISION',
  'DUPLICATE_KEY',
  'TOO_MANY_OPERATIONS',
  'LEASE_NOT_FOUND',
  'VALUE_TOO_LARGE',
  'INVALID_KEY',
]);

type Request =
  | { readonly type: 'range'; readonly request: RangeRequest }
  | { readonly type: 'txn'; readonly request: TxnRequest };

interface OpenOperation {
  readonly type: 'range' | 'txn';
  readonly id: number;
  readonly client: string;
  readonly calledAt: number;
  returnedAt: number;
  readonly request: RangeRequest | TxnRequest;
  outcome: Outcome<RangeResponse | TxnResponse>;
}

/**
 * A watch while it is recorded.
 *
 * @experimental
 */
export interface OpenWatchRecording extends WatchRecording {
  readonly batches: RecordedBatch[];
  end: { readonly error?: string | undefined } | undefined;
}

/**
 * The history of all operations, watches and compactions of several clients. Calls and returns are numbered by one common clock.
 * `RecordingKeyValueStore` fills it.
 *
 * Guarantees:
 * - An operation without a response so far is in the history with an unknown outcome.
 *
 * Not guaranteed: an order between clients in different processes; each process needs its own recorder and history.
 *
 * @experimental
 */
export class HistoryRecorder {
  readonly #capacity: number;
  readonly #operations: OpenOperation[] = [];
  readonly #watches: OpenWatchRecording[] = [];
  readonly #compactions: RecordedCompaction[] = [];
  #now = 0;
  #batches = 0;

  constructor({ capacity = 2_000_000 }: HistoryRecorderOptions = {}) {
    this.#capacity = capacity;
  }

  /** In the order of their calls. */
  get operations(): readonly RecordedOperation[] {
    return this.#operations as readonly RecordedOperation[];
  }

  get watches(): readonly WatchRecording[] {
    return this.#watches;
  }

  get compactions(): readonly RecordedCompaction[] {
    return this.#compactions;
  }

  /** Records a call; the result is added to the returned object. @throws {ListwatchError} code BUFFER_FULL. */
  call(client: string, { type, request }: Request): OpenOperation {
    const operation: OpenOperation = {
      type,
      id: this.#operations.length,
      client,
      calledAt: this.#tick(),
      returnedAt: Number.POSITIVE_INFINITY,
      request,
      outcome: { type: 'unknown', reason: 'under way' },
    };
    this.#makeRoom();
    this.#operations.push(operation);
    return operation;
  }

  answer(operation: OpenOperation, response: RangeResponse | TxnResponse): void {
    operation.returnedAt = this.#tick();
    operation.outcome = { type: 'answered', response };
  }

  fail(operation: OpenOperation, error: unknown): void {
    const reason = errorMessage(error);
    if (isRefusal(error)) {
      operation.returnedAt = this.#tick();
      operation.outcome = { type: 'refused', reason };
    } else {
      operation.outcome = { type: 'unknown', reason };
    }
  }

  compaction(revision: Revision): void {
    this.#makeRoom();
    this.#compactions.push({ revision, calledAt: this.#tick() });
  }

  watch(recording: Pick<WatchRecording, 'client' | 'request' | 'startedAt'>): OpenWatchRecording {
    const open: OpenWatchRecording = { ...recording, batches: [], end: undefined };
    this.#makeRoom();
    this.#watches.push(open);
    return open;
  }

  batch(recording: OpenWatchRecording, messages: readonly KeyValueWatchMessage[]): void {
    this.#makeRoom();
    this.#batches += 1;
    recording.batches.push({ receivedAt: this.#tick(), messages });
  }

  #tick(): number {
    this.#now += 1;
    return this.#now;
  }

  #makeRoom(): void {
    const held =
      this.#operations.length + this.#batches + this.#watches.length + this.#compactions.length;
    if (held < this.#capacity) return;
    throw new ListwatchError(
      'BUFFER_FULL',
      `the history holds ${this.#capacity} entries already (option "capacity" of HistoryRecorder)`,
    );
  }
}

/** Whether a call was not carried out. Errors of the etcd client have this information themselves. */
function isRefusal(error: unknown): boolean {
  if (isListwatchError(error) && REFUSALS.has(error.code)) return true;
  return (
    typeof error === 'object' && error !== null && 'outcome' in error && error.outcome === 'none'
  );
}
