import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type {
  KeyValue,
  KeyValueEvent,
  Revision,
  OperationResponse,
  RangeRequest,
  RangeResponse,
  Compare,
  CompareValue,
  TxnOperation,
} from '../../server/mvcc/contract/key-value-store.ts';
import { KeyValueHistory, type Commit } from './key-value-history.ts';
import { isHistoric, RevisionIndex } from './revision-index.ts';
import type { RecordedOperation, RecordedTxn, RecordedRange } from './history-recorder.ts';
import { ReplayedState, sameKeyValue, type ReplayedTxn } from './replayed-state.ts';

const LONGEST_VALUE = 24;

/** One operation on one line: client, times, request, and result. */
export function operationText(operation: RecordedOperation): string {
  const { id, client, calledAt, returnedAt } = operation;
  const until = returnedAt === Number.POSITIVE_INFINITY ? '…' : returnedAt;
  return `#${id} ${client} [${calledAt}..${until}] ${requestText(operation)} -> ${outcomeText(operation)}`;
}

function requestText(operation: RecordedOperation): string {
  if (operation.type === 'range') return operationPart({ type: 'range', ...operation.request });
  const { compare, success, failure = [] } = operation.request;
  const then = success.map(operationPart).join(', ');
  if (compare.length === 0) return then;
  const otherwise = failure.length === 0 ? '' : ` else ${failure.map(operationPart).join(', ')}`;
  return `if ${compare.map(compareText).join(' and ')}: ${then}${otherwise}`;
}

function compareText({ key, target, operator, operand }: Compare | CompareValue): string {
  const than = typeof operand === 'bigint' ? operand : valueText(operand);
  return `${target}(${JSON.stringify(key)}) ${operator} ${than}`;
}

function operationPart(operation: TxnOperation): string {
  const key = JSON.stringify(operation.key);
  if (operation.type === 'put') return `put ${key} ${valueText(operation.value)}`;
  const to = operation.rangeEnd === undefined ? '' : `..${JSON.stringify(operation.rangeEnd)}`;
  if (operation.type === 'delete') return `delete ${key}${to}`;
  return `read ${key}${to}${operation.revision === undefined ? '' : ` at ${operation.revision}`}`;
}

function outcomeText(operation: RecordedOperation): string {
  const { outcome } = operation;
  if (outcome.type !== 'answered') return `${outcome.type} (${outcome.reason})`;
  const { response } = outcome;
  if ('items' in response) return `${itemsText(response)} at revision ${response.revision}`;
  const parts = response.responses.flatMap((one) =>
    one.type === 'range'
      ? [itemsText(one)]
      : one.type === 'delete'
        ? [`${one.deleted} deleted`]
        : [],
  );
  return [response.succeeded ? 'yes' : 'no', ...parts, `at revision ${response.revision}`].join(
    ' ',
  );
}

function itemsText({
  items,
  count,
}: {
  readonly items: readonly { key: string; value: Uint8Array; modRevision: bigint }[];
  readonly count: number;
}): string {
  const shown = items
    .slice(0, 3)
    .map(({ key, value, modRevision }) => `${key}=${valueText(value)}@${modRevision}`);
  return `${count} found${shown.length === 0 ? '' : ` (${shown.join(' ')}${count > 3 ? ' …' : ''})`}`;
}

/** Values may be secret: only the beginning is shown, and only if it is text. */
function valueText(value: Uint8Array): string {
  const text = Buffer.from(value).toString('utf8');
  return JSON.stringify(text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
}

type Items = Pick<RangeResponse, 'items' | 'count' | 'more'>;

/** How the result of a transaction differs from the expected one; undefined if it does not. */
function differenceOf(operation: RecordedTxn, expected: ReplayedTxn): string | undefined {
  const { outcome } = operation;
  if (outcome.type !== 'answered') return undefined;
  const { succeeded, responses, revision } = outcome.response;
  const who = `#${operation.id} at revision ${revision}`;
  if (succeeded !== expected.succeeded) {
    const holds = expected.succeeded ? 'hold' : 'do not hold';
    return `${who} says ${succeeded ? 'yes' : 'no'}, but its comparisons ${holds}`;
  }
  for (const [index, actual] of responses.entries()) {
    const difference = differenceOfResponse(actual, expected.responses[index]);
    if (difference !== undefined) return `${who}: ${difference}`;
  }
  return undefined;
}

/** How the result of a read differs from what a state holds; undefined if it does not. */
function differenceOfRange(operation: RecordedRange, state: ReplayedState): string | undefined {
  const { request, outcome, id } = operation;
  if (outcome.type !== 'answered') return undefined;
  const { items, revision } = outcome.response;
  const expected = state.range(asLongAs(items.length, request));
  const difference = differenceOfItems(outcome.response, expected);
  return difference === undefined ? undefined : `#${id} at revision ${revision}: ${difference}`;
}

/** The request for as many keys as the response has, if the response may end early: one at least, and at most the limit. */
function asLongAs(length: number, request: RangeRequest): RangeRequest {
  const { limit = 0, mayEndEarly = false } = request;
  if (!mayEndEarly || length === 0 || (limit > 0 && length > limit)) return request;
  return { ...request, limit: length };
}

function differenceOfResponse(
  actual: OperationResponse,
  expected: OperationResponse | undefined,
): string | undefined {
  if (actual.type === 'range' && expected?.type === 'range') {
    return differenceOfItems(actual, expected);
  }
  if (actual.type === 'delete' && expected?.type === 'delete') {
    return actual.deleted === expected.deleted
      ? differenceOfKeys(actual.previous, expected.previous)
      : `${actual.deleted} keys were deleted instead of ${expected.deleted}`;
  }
  return actual.type === expected?.type ? undefined : `an answer of type ${actual.type}`;
}

function differenceOfItems(actual: Items, expected: Items): string | undefined {
  const difference = differenceOfKeys(actual.items, expected.items);
  if (difference !== undefined) return difference;
  if (actual.count !== expected.count) {
    return `${actual.count} keys were counted instead of ${expected.count}`;
  }
  return actual.more === expected.more ? undefined : `"more" is ${actual.more}`;
}

function differenceOfKeys(
  actual: readonly KeyValue[],
  expected: readonly KeyValue[],
): string | undefined {
  for (let index = 0; index < Math.max(actual.length, expected.length); index += 1) {
    const seen = actual[index];
    const there = expected[index];
    if (sameKeyValue(seen, there)) continue;
    return `it saw ${keyText(seen)} where there was ${keyText(there)}`;
  }
  return undefined;
}

function keyText(kv: KeyValue | undefined): string {
  if (kv === undefined) return 'nothing';
  const { key, value, modRevision, createRevision, version } = kv;
  return `${JSON.stringify(key)} = ${valueText(value)} of revision ${modRevision} (created at ${createRevision}, version ${version})`;
}

/** @experimental */
export interface RevisionCheckOptions {
  /** All operations of all clients on the store. */
  readonly operations: readonly RecordedOperation[];
  /** Changes that watches have seen; they show the effect of writes of unknown outcome. @defaultValue none */
  readonly observed?: readonly KeyValueEvent[] | undefined;
  /** The content of the store before the first operation. @defaultValue empty, at revision 1 */
  readonly base?: { readonly revision: Revision; readonly items: readonly KeyValue[] } | undefined;
  /** Longest time for the search, milliseconds. @defaultValue 60 000 */
  readonly budgetMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<RevisionCheckOptions>()('checkRevisions', {
  operations: is.rule<readonly RecordedOperation[]>('an array', Array.isArray).required,
  observed: is.rule<readonly KeyValueEvent[]>('an array', Array.isArray).default([]),
  base: is.object().default({ revision: 1n, items: [] }),
  budgetMs: is.number({ min: 1 }).default(60_000),
  runtime: is.object().default(realRuntime),
});

/** @experimental */
export type RevisionVerdict =
  /** An order of all operations exists that explains every result; `history` is its history. */
  | { readonly verdict: 'linearizable'; readonly history: KeyValueHistory }
  /** No such order exists. */
  | {
      readonly verdict: 'illegal';
      /** The contradiction, with the operation. */
      readonly reason: string;
      /** As few operations as possible that prove the contradiction, as text. */
      readonly window: readonly string[];
    }
  /** The time limit was reached first. */
  | { readonly verdict: 'unknown'; readonly reason: string };

interface Step extends Commit {
  /** The operation of unknown outcome that made it. */
  readonly open: RecordedTxn | undefined;
}

/** A revision with several candidates: operations of unknown outcome that may have made it. */
interface Choice {
  readonly revision: Revision;
  readonly untried: RecordedTxn[];
}

interface Contradiction {
  readonly revision: Revision;
  readonly reason: string;
  readonly operations: readonly RecordedOperation[];
}

const OPERATIONS_BETWEEN_CLOCK_READS = 256;
const WINDOW_REVISIONS = 3n;

/**
 * Checks that the history of a key-value store with revisions is linearizable, for the whole store at once.
 *
 * The results determine the order of operations: a write is at its revision, a read right after the revision that it saw. The
 * checker carries out the operations in that order, and compares each with its result and with the times of call and return. A
 * revision without a write that has a result must come from a write of unknown outcome. If no operation returned the revision,
 * the candidates are tried in turn.
 *
 * Cost: O(n log n) for n operations, and the same again for each wrong guess about such a revision.
 *
 * @experimental
 */
export function checkRevisions(options: RevisionCheckOptions): RevisionVerdict {
  return new RevisionReplay(options).run();
}

class RevisionReplay {
  readonly #index: RevisionIndex;
  readonly #base: { readonly revision: Revision; readonly items: readonly KeyValue[] };
  readonly #state: ReplayedState;
  readonly #runtime: Runtime;
  readonly #giveUpAtMs: number;
  readonly #steps: Step[] = [];
  readonly #choices: Choice[] = [];
  readonly #used = new Set<RecordedTxn>();
  #work = 0;
  #furthest: Contradiction | undefined;

  constructor(options: RevisionCheckOptions) {
    const { operations, observed, base, budgetMs, runtime } = OPTIONS.read(options);
    this.#base = base;
    this.#index = new RevisionIndex(operations, observed, this.#base.revision);
    this.#state = new ReplayedState(this.#base.revision, this.#base.items);
    this.#runtime = runtime;
    this.#giveUpAtMs = runtime.monotonicMs() + budgetMs;
  }

  run(): RevisionVerdict {
    const disorder = this.#index.disorder();
    if (disorder !== undefined) return this.#illegal(disorder);
    let contradiction = this.#checkReads(this.#base.revision);
    while (contradiction !== undefined || this.#state.revision < this.#index.last) {
      if (contradiction !== undefined) {
        this.#remember(contradiction);
        if (!this.#stepBack()) return this.#illegal(this.#furthest as Contradiction);
      }
      if (this.#isOverBudget()) {
        const { revision } = this.#state;
        return { verdict: 'unknown', reason: `time ran out at revision ${revision}` };
      }
      contradiction = this.#advance();
    }
    const history = new KeyValueHistory({ base: this.#base, commits: this.#steps });
    const past = this.#checkHistoricReads(history);
    return past === undefined ? { verdict: 'linearizable', history } : this.#illegal(past);
  }

  /** Applies the next revision, and checks all operations that returned it. */
  #advance(): Contradiction | undefined {
    const revision = this.#state.revision + 1n;
    const choice = this.#choices.at(-1);
    const writer = choice?.revision === revision ? undefined : this.#index.writers.get(revision);
    const contradiction =
      writer === undefined ? this.#fillGap(revision) : this.#replay(writer, revision);
    return contradiction ?? this.#checkReads(revision);
  }

  #replay(operation: RecordedTxn, revision: Revision): Contradiction | undefined {
    this.#work += 1;
    const replayed = this.#state.run(operation.request, revision);
    this.#steps.push({ revision, events: replayed.events, open: undefined });
    this.#state.revision = revision;
    const difference = differenceOf(operation, replayed);
    if (difference === undefined) return undefined;
    return { revision, reason: difference, operations: [operation] };
  }

  /** Finds an operation of unknown outcome that can have made a revision, starting where the last attempt stopped. */
  #fillGap(revision: Revision): Contradiction | undefined {
    let choice = this.#choices.at(-1);
    if (choice?.revision !== revision) {
      const candidates = this.#index.candidates(revision);
      choice = { revision, untried: candidates.filter((one) => !this.#used.has(one)) };
      this.#choices.push(choice);
    }
    for (;;) {
      const open = choice.untried.pop();
      if (open === undefined) break;
      this.#work += 1;
      const { events } = this.#state.run(open.request, revision);
      if (events.length > 0 && this.#index.agrees(revision, events)) {
        if (choice.untried.length === 0) this.#choices.pop();
        this.#used.add(open);
        this.#steps.push({ revision, events, open });
        return undefined;
      }
      this.#state.undo(events, revision - 1n);
    }
    this.#choices.pop();
    const seen = this.#index.observedText(revision);
    const reason = `no operation can have made revision ${revision}${seen}`;
    return { revision: revision - 1n, reason, operations: this.#index.witnesses(revision) };
  }

  /** Reverts to the last revision with a candidate that was not tried yet. */
  #stepBack(): boolean {
    const choice = this.#choices.at(-1);
    if (choice === undefined) return false;
    while (this.#state.revision >= choice.revision) {
      const step = this.#steps.pop() as Step;
      this.#state.undo(step.events, step.revision - 1n);
      if (step.open !== undefined) this.#used.delete(step.open);
    }
    return true;
  }

  /** Checks the reads that saw a revision, and the transactions that changed nothing at it. */
  #checkReads(revision: Revision): Contradiction | undefined {
    for (const operation of this.#index.readers.get(revision) ?? []) {
      this.#work += 1;
      const difference = this.#differenceOfRead(operation, revision);
      if (difference !== undefined) {
        return { revision, reason: difference, operations: [operation] };
      }
    }
    return undefined;
  }

  #differenceOfRead(operation: RecordedOperation, revision: Revision): string | undefined {
    if (operation.type === 'range') {
      if (isHistoric(operation)) return undefined;
      return differenceOfRange(operation, this.#state);
    }
    const replayed = this.#state.run(operation.request, revision);
    if (replayed.events.length > 0) this.#state.undo(replayed.events, revision);
    return differenceOf(operation, replayed);
  }

  #checkHistoricReads(history: KeyValueHistory): Contradiction | undefined {
    for (const operation of this.#index.historic) {
      const { request } = operation;
      const revision = request.revision as Revision;
      if (revision < history.firstRevision) continue;
      const past = new ReplayedState(revision, history.stateAt(request, revision));
      const difference = differenceOfRange(operation, past);
      if (difference !== undefined) {
        return { revision, reason: difference, operations: [operation] };
      }
    }
    return undefined;
  }

  #remember(contradiction: Contradiction): void {
    if (this.#furthest === undefined || contradiction.revision >= this.#furthest.revision) {
      this.#furthest = contradiction;
    }
  }

  #illegal({ revision, reason, operations }: Contradiction): RevisionVerdict {
    const window = new Set(operations);
    for (const one of operations) {
      for (const near of this.#index.around(one, revision, WINDOW_REVISIONS)) window.add(near);
    }
    const sorted = [...window].toSorted((left, right) => left.calledAt - right.calledAt);
    return { verdict: 'illegal', reason, window: sorted.map(operationText) };
  }

  #isOverBudget(): boolean {
    if (this.#work < OPERATIONS_BETWEEN_CLOCK_READS) return false;
    this.#work = 0;
    return this.#runtime.monotonicMs() > this.#giveUpAtMs;
  }
}
