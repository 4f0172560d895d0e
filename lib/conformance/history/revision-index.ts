import type {
  KeyValue,
  KeyValueEvent,
  TxnOperation,
  RangeRequest,
  Revision,
  TxnRequest,
} from '../../server/mvcc/contract/key-value-store.ts';
import type { RecordedOperation, RecordedRange, RecordedTxn } from './history-recorder.ts';
import { covers } from './replayed-state.ts';
import { firstWith } from './key-value-history.ts';

/**
 * The order of revisions that follows from the times of calls and returns: an operation sees everything that returned before it
 * was called, and nothing that was called after it returned.
 */
class RevisionOrder {
  /** By time of return, with the highest revision that was returned until then. */
  readonly #returns: { readonly at: number; readonly highest: Revision }[] = [];
  /** By revision, with the earliest return of an operation that saw this or a later one. */
  readonly #seen: { readonly revision: Revision; readonly at: number }[] = [];

  constructor(operations: readonly RecordedOperation[]) {
    const answered = operations.flatMap(({ returnedAt, outcome }) =>
      outcome.type === 'answered' ? [{ returnedAt, revision: outcome.response.revision }] : [],
    );
    let highest = 0n;
    for (const { returnedAt, revision } of answered.toSorted(
      (a, b) => a.returnedAt - b.returnedAt,
    )) {
      if (revision > highest) highest = revision;
      this.#returns.push({ at: returnedAt, highest });
    }
    let at = Number.POSITIVE_INFINITY;
    for (const { returnedAt, revision } of answered.toSorted(byRevision).toReversed()) {
      at = Math.min(at, returnedAt);
      this.#seen.push({ revision, at });
    }
    this.#seen.reverse();
  }

  /** The highest revision that was returned before a moment. */
  answeredBefore(moment: number): Revision {
    const next = firstWith(
      this.#returns.length,
      (index) => (this.#returns[index]?.at ?? 0) >= moment,
    );
    return this.#returns[next - 1]?.highest ?? 0n;
  }

  /** The time of the first result with a revision or a later one; infinite if there is none. */
  knownAt(revision: Revision): number {
    const next = firstWith(
      this.#seen.length,
      (index) => (this.#seen[index]?.revision ?? 0n) >= revision,
    );
    return this.#seen[next]?.at ?? Number.POSITIVE_INFINITY;
  }
}

function byRevision(
  left: { readonly revision: Revision },
  right: { readonly revision: Revision },
): number {
  return left.revision < right.revision ? -1 : left.revision > right.revision ? 1 : 0;
}

/** The changes of one revision as readers saw them, apart from the result of the write itself. */
interface Observation {
  /** Undefined for a value that was not read. */
  readonly puts: Map<string, Uint8Array | undefined>;
  readonly deletes: Set<string>;
}

export interface Disorder {
  readonly revision: Revision;
  readonly reason: string;
  readonly operations: readonly RecordedOperation[];
}

const MOST_NEIGHBOURS = 12;
const MOST_WITNESSES = 3;

/** A history by revision: its writer, the operations that saw it, and those that may have made it. */
export class RevisionIndex {
  readonly writers: Map<Revision, RecordedTxn> = new Map();
  /** Operations that changed nothing, by the revision they saw. */
  readonly readers: Map<Revision, RecordedOperation[]> = new Map();
  /** Reads of past revisions. */
  readonly historic: RecordedRange[] = [];
  /** The highest revision in any result. */
  last: Revision;
  readonly #order: RevisionOrder;
  readonly #answered: RecordedOperation[] = [];
  readonly #open: RecordedTxn[] = [];
  readonly #observations = new Map<Revision, Observation>();
  readonly #base: Revision;
  #usedTwice: Disorder | undefined;

  constructor(
    operations: readonly RecordedOperation[],
    observed: readonly KeyValueEvent[],
    base: Revision,
  ) {
    this.last = base;
    this.#base = base;
    this.#order = new RevisionOrder(operations);
    for (const operation of operations) this.#add(operation);
    for (const event of observed) this.#observeEvent(event);
  }

  /** An operation whose revision contradicts its time. */
  disorder(): Disorder | undefined {
    if (this.#usedTwice !== undefined) return this.#usedTwice;
    for (const operation of this.#answered) {
      if (operation.outcome.type !== 'answered') continue;
      const { revision } = operation.outcome.response;
      const before = this.#order.answeredBefore(operation.calledAt);
      const writes = this.writers.get(revision) === operation;
      if (revision >= this.#base && (writes ? revision > before : revision >= before)) continue;
      const what = writes ? 'wrote' : 'was answered';
      const reason = `#${operation.id} ${what} at revision ${revision}, though revision ${before} had been answered before it was called`;
      const earlier = this.#answered.filter(
        (one) => one.returnedAt < operation.calledAt && revisionOf(one) === before,
      );
      return { revision, reason, operations: [...earlier.slice(0, 1), operation] };
    }
    return undefined;
  }

  /** Writes of unknown outcome that may have made a revision, the most likely one last. */
  candidates(revision: Revision): RecordedTxn[] {
    const knownAt = this.#order.knownAt(revision);
    const observation = this.#observations.get(revision);
    const keys = [...(observation?.puts.keys() ?? []), ...(observation?.deletes ?? [])];
    return this.#open
      .filter(
        ({ calledAt, request }) =>
          calledAt < knownAt &&
          this.#order.answeredBefore(calledAt) < revision &&
          keys.every((key) => mayWrite(request, key)),
      )
      .toSorted((left, right) => left.request.compare.length - right.request.compare.length);
  }

  /** Whether these changes agree with the observations of a revision. */
  agrees(revision: Revision, events: readonly KeyValueEvent[]): boolean {
    const observation = this.#observations.get(revision);
    if (observation === undefined) return true;
    const puts = new Map<string, Uint8Array>();
    const deletes = new Set<string>();
    for (const { type, kv } of events) {
      if (type === 'put') puts.set(kv.key, kv.value);
      else deletes.add(kv.key);
    }
    for (const [key, value] of observation.puts) {
      const made = puts.get(key);
      if (made === undefined || (value !== undefined && Buffer.compare(made, value) !== 0)) {
        return false;
      }
    }
    return [...observation.deletes].every((key) => deletes.has(key));
  }

  /** The observations of a revision, for messages. */
  observedText(revision: Revision): string {
    const observation = this.#observations.get(revision);
    if (observation === undefined) return '';
    const puts = [...observation.puts.keys()].map((key) => `a put of ${JSON.stringify(key)}`);
    const deletes = [...observation.deletes].map((key) => `a delete of ${JSON.stringify(key)}`);
    return `, at which ${[...puts, ...deletes].join(' and ')} was seen`;
  }

  /** Some operations that prove that a revision exists. */
  witnesses(revision: Revision): readonly RecordedOperation[] {
    const direct = this.#answered.filter((one) =>
      itemsOf(one).some(({ kv }) => kv.modRevision === revision),
    );
    if (direct.length > 0) return direct.slice(0, MOST_WITNESSES);
    const later = this.#answered.filter((one) => revisionOf(one) >= revision);
    return later
      .toSorted((left, right) => (revisionOf(left) < revisionOf(right) ? -1 : 1))
      .slice(0, 1);
  }

  /** Operations on the same keys, at close revisions or of unknown outcome. */
  around(
    operation: RecordedOperation,
    revision: Revision,
    distance: Revision,
  ): readonly RecordedOperation[] {
    const near = this.#answered.filter((one) => {
      const at = revisionOf(one);
      return at >= revision - distance && at <= revision + 1n && touchSameKeys(one, operation);
    });
    const open = this.#open.filter(
      (one) => one.calledAt < operation.returnedAt && touchSameKeys(one, operation),
    );
    return [...near.slice(-MOST_NEIGHBOURS), ...open.slice(-MOST_WITNESSES)];
  }

  #add(operation: RecordedOperation): void {
    const { outcome } = operation;
    if (outcome.type === 'unknown' && operation.type === 'txn') {
      const { success, failure = [] } = operation.request;
      const writes = [...success, ...failure].some(({ type }) => type !== 'range');
      if (writes) this.#open.push(operation);
    }
    if (outcome.type !== 'answered') return;
    this.#answered.push(operation);
    const { revision } = outcome.response;
    this.#reach(revision);
    for (const { kv, hasValue } of itemsOf(operation)) this.#observe(kv, hasValue);
    if (operation.type === 'txn' && hasWritten(operation)) this.#addWriter(operation, revision);
    else this.#addReader(operation, revision);
  }

  #addWriter(operation: RecordedTxn, revision: Revision): void {
    const other = this.writers.get(revision);
    if (other === undefined) {
      this.writers.set(revision, operation);
      return;
    }
    const reason = `#${other.id} and #${operation.id} both wrote at revision ${revision}`;
    this.#usedTwice ??= { revision, reason, operations: [other, operation] };
  }

  #addReader(operation: RecordedOperation, revision: Revision): void {
    if (operation.type === 'range' && isHistoric(operation)) this.historic.push(operation);
    const readers = this.readers.get(revision);
    if (readers === undefined) this.readers.set(revision, [operation]);
    else readers.push(operation);
  }

  #observeEvent({ type, kv, previous }: KeyValueEvent): void {
    if (previous !== undefined) this.#observe(previous, true);
    if (type === 'put') {
      this.#observe(kv, true);
      return;
    }
    this.#observation(kv.modRevision)?.deletes.add(kv.key);
  }

  #observe(kv: KeyValue, hasValue: boolean): void {
    const puts = this.#observation(kv.modRevision)?.puts;
    if (puts !== undefined && puts.get(kv.key) === undefined) {
      puts.set(kv.key, hasValue ? kv.value : undefined);
    }
  }

  #observation(revision: Revision): Observation | undefined {
    if (revision <= this.#base) return undefined;
    this.#reach(revision);
    let observation = this.#observations.get(revision);
    if (observation === undefined) {
      observation = { puts: new Map(), deletes: new Set() };
      this.#observations.set(revision, observation);
    }
    return observation;
  }

  #reach(revision: Revision): void {
    if (revision > this.last) this.last = revision;
  }
}

/** Whether a read requests a past state. */
export function isHistoric({ request: { revision } }: RecordedRange): boolean {
  return revision !== undefined && revision !== 0n;
}

/** Whether a transaction changed something. */
function hasWritten({ outcome, request }: RecordedTxn): boolean {
  if (outcome.type !== 'answered') return false;
  const { succeeded, responses } = outcome.response;
  const operations = succeeded ? request.success : (request.failure ?? []);
  return operations.some((operation, index) => {
    const response = responses[index];
    return operation.type === 'put' || (response?.type === 'delete' && response.deleted > 0);
  });
}

/** The key-values in an answer. */
function itemsOf(
  operation: RecordedOperation,
): readonly { readonly kv: KeyValue; readonly hasValue: boolean }[] {
  const { outcome } = operation;
  if (outcome.type !== 'answered') return [];
  if (operation.type === 'range') {
    if (!('items' in outcome.response)) return [];
    const hasValue = operation.request.keysOnly !== true;
    return outcome.response.items.map((kv) => ({ kv, hasValue }));
  }
  if (!('responses' in outcome.response)) return [];
  const { succeeded, responses } = outcome.response;
  const { success, failure = [] } = operation.request;
  const operations = succeeded ? success : failure;
  return responses.flatMap((response, index) => {
    if (response.type === 'delete') return response.previous.map((kv) => ({ kv, hasValue: true }));
    if (response.type !== 'range') return [];
    const asked = operations[index];
    const hasValue = !(asked?.type === 'range' && asked.keysOnly === true);
    return response.items.map((kv) => ({ kv, hasValue }));
  });
}

function revisionOf({ outcome }: RecordedOperation): Revision {
  return outcome.type === 'answered' ? outcome.response.revision : 0n;
}

function mayWrite({ success, failure = [] }: TxnRequest, key: string): boolean {
  return [...success, ...failure].some((one) => {
    if (one.type === 'range') return false;
    return one.type === 'put' ? one.key === key : covers(one, key);
  });
}

function touchSameKeys(left: RecordedOperation, right: RecordedOperation): boolean {
  return rangesOf(left).some((one) =>
    rangesOf(right).some((other) => covers(one, other.key) || covers(other, one.key)),
  );
}

function rangesOf(operation: RecordedOperation): readonly Pick<RangeRequest, 'key' | 'rangeEnd'>[] {
  if (operation.type === 'range') return [operation.request];
  const { success, failure = [] } = operation.request;
  return [...success, ...failure].map((one: TxnOperation) =>
    one.type === 'put' ? { key: one.key } : one,
  );
}
