import { asBuffer } from '../../kernel/data/as-buffer.ts';
import type {
  KeyValue,
  TxnOperation,
  OperationResponse,
  RangeRequest,
  RangeResponse,
  Revision,
  TxnRequest,
} from '../../server/mvcc/contract/key-value-store.ts';
import { checkLinearizability, type LinearizabilityOptions } from './linearizability.ts';
import type { RecordedOperation, RecordedRange, RecordedTxn } from './history-recorder.ts';
import {
  registerModel,
  registerOperationText,
  type RegisterContent,
  type RegisterOperation,
  type RegisterResult,
} from './register-model.ts';
import { covers } from './replayed-state.ts';

/**
 * The result of checking each key separately.
 *
 * @experimental
 */
export interface KeyVerdict {
  readonly verdict: 'linearizable' | 'illegal' | 'unknown';
  readonly keys: number;
  readonly operations: number;
  /** For the first key with an illegal history: the operations that prove it, as text. */
  readonly window: readonly string[];
}

/**
 * Checks each key of a history separately, as a register. The order of revisions is not used, except the revision of a key that a
 * compare-and-swap names.
 *
 * An operation on several keys counts as one operation on each of them. A refused history is wrong. An accepted one may still be
 * wrong across keys; `checkRevisions` finds that.
 *
 * @experimental
 */
export function checkKeys(
  operations: readonly RecordedOperation[],
  options: LinearizabilityOptions = {},
): KeyVerdict {
  const byKey = registerOperations(operations);
  let total = 0;
  let isUnknown = false;
  for (const history of byKey.values()) {
    total += history.length;
    const found = checkLinearizability(history, registerModel, options);
    if (found.verdict === 'illegal') {
      const window = found.window.map(registerOperationText);
      return { verdict: 'illegal', keys: byKey.size, operations: total, window };
    }
    if (found.verdict === 'unknown') isUnknown = true;
  }
  const verdict = isUnknown ? 'unknown' : 'linearizable';
  return { verdict, keys: byKey.size, operations: total, window: [] };
}

/** Splits a recorded history into one register history for each key. */
export function registerOperations(
  operations: readonly RecordedOperation[],
): ReadonlyMap<string, readonly RegisterOperation[]> {
  const byKey = new Map<string, RegisterOperation[]>();
  const keys = keysOf(operations);
  const add: Add = (operation, key, part) => {
    const { id, client, calledAt, returnedAt } = operation;
    const one = { id, client, calledAt, returnedAt, key, ...part };
    const list = byKey.get(key);
    if (list === undefined) byKey.set(key, [one]);
    else list.push(one);
  };
  for (const operation of operations) {
    if (operation.type === 'range') addRange(operation, keys, add);
    else addTxn(operation, keys, add);
  }
  return byKey;
}

type Part = Pick<RegisterOperation, 'expected' | 'write' | 'result'>;
type Add = (operation: RecordedOperation, key: string, part: Part) => void;

function addRange(operation: RecordedRange, keys: readonly string[], add: Add): void {
  const { request, outcome } = operation;
  if (outcome.type !== 'answered') return;
  for (const [key, content] of contents(request, outcome.response, keys)) {
    add(operation, key, { result: { succeeded: true, seen: { content } } });
  }
}

function addTxn(operation: RecordedTxn, keys: readonly string[], add: Add): void {
  const { request, outcome } = operation;
  if (outcome.type === 'refused') return;
  const swap = compareAndSwap(request);
  if (outcome.type === 'unknown') {
    if (swap !== undefined) {
      add(operation, swap.key, { expected: swap.expected, write: writeOf(swap.operation) });
      return;
    }
    for (const part of [...request.success, ...(request.failure ?? [])]) {
      for (const key of keysIn(part, keys)) add(operation, key, { write: writeOf(part) });
    }
    return;
  }
  const { succeeded, responses, revision } = outcome.response;
  const branch = succeeded ? request.success : (request.failure ?? []);
  if (swap !== undefined) {
    const result = { succeeded, ...resultOf(branch[0], responses[0], swap.key, revision) };
    add(operation, swap.key, { expected: swap.expected, write: writeOf(swap.operation), result });
    return;
  }
  for (const [index, part] of branch.entries()) {
    const response = responses[index];
    if (part.type === 'range' && response?.type === 'range') {
      for (const [key, content] of contents(part, response, keys)) {
        add(operation, key, { result: { succeeded: true, seen: { content } } });
      }
      continue;
    }
    for (const key of keysIn(part, keys)) {
      const result = { succeeded: true, ...resultOf(part, response, key, revision) };
      add(operation, key, { write: writeOf(part), result });
    }
  }
}

interface Swap {
  readonly key: string;
  readonly expected: Revision;
  readonly operation: TxnOperation;
}

/** A transaction that writes one key if it is at a given revision, and otherwise at most reads it. */
function compareAndSwap({ compare, success, failure = [] }: TxnRequest): Swap | undefined {
  const [condition, ...others] = compare;
  const [operation, ...more] = success;
  if (condition === undefined || operation === undefined) return undefined;
  if (others.length > 0 || more.length > 0 || failure.length > 1) return undefined;
  const { key, target, operator, operand } = condition;
  if (target === 'value' || operator !== '=') return undefined;
  // All properties of a missing key are 0, and no other key has a revision or version of 0.
  const isCreation = operand === 0n && target !== 'lease';
  if (target !== 'modRevision' && !isCreation) return undefined;
  const parts = [operation, ...failure];
  const isSingle = parts.every(
    (one) => one.key === key && (one.type === 'put' || one.rangeEnd === undefined),
  );
  const isPlain = failure.every(({ type }) => type === 'range');
  return isSingle && isPlain ? { key, expected: operand, operation } : undefined;
}

function writeOf(operation: TxnOperation): string | null | undefined {
  if (operation.type === 'range') return undefined;
  return operation.type === 'put' ? textOf(operation.value) : null;
}

/** The part of a result that concerns one key. */
function resultOf(
  operation: TxnOperation | undefined,
  response: OperationResponse | undefined,
  key: string,
  revision: Revision,
): Omit<RegisterResult, 'succeeded'> {
  if (response?.type === 'delete') {
    return { seen: { content: contentOf(response.previous.find((kv) => kv.key === key)) } };
  }
  if (response?.type === 'range' && operation?.type === 'range') {
    const found = [...contents(operation, response, [key])];
    return found.length === 0 ? {} : { seen: { content: found[0]?.[1] } };
  }
  return response?.type === 'put' ? { revision } : {};
}

/** The result of a read for each of the keys in its range; none for keys after a limit. */
function* contents(
  request: RangeRequest,
  { items, more }: RangeResponse,
  keys: readonly string[],
): Iterable<readonly [string, RegisterContent | undefined]> {
  const { revision = 0n, keysOnly = false, countOnly = false } = request;
  if (revision !== 0n || keysOnly || countOnly) return;
  const byKey = new Map(items.map((kv) => [kv.key, kv]));
  for (const key of keysIn({ ...request, type: 'range' }, keys)) {
    const kv = byKey.get(key);
    if (kv !== undefined || !more) yield [key, contentOf(kv)];
  }
}

function keysIn(operation: TxnOperation, keys: readonly string[]): readonly string[] {
  if (operation.type === 'put' || operation.rangeEnd === undefined) return [operation.key];
  return keys.filter((key) => covers(operation, key));
}

/** All keys in requests and results. */
function keysOf(operations: readonly RecordedOperation[]): readonly string[] {
  const keys = new Set<string>();
  for (const operation of operations) {
    const { request, outcome } = operation;
    const parts =
      operation.type === 'range'
        ? [request as RangeRequest]
        : [...operation.request.success, ...(operation.request.failure ?? [])];
    for (const part of parts) {
      if (!('rangeEnd' in part) || part.rangeEnd === undefined) keys.add(part.key);
    }
    if (outcome.type !== 'answered' || !('items' in outcome.response)) continue;
    for (const { key } of outcome.response.items) keys.add(key);
  }
  return [...keys];
}

function contentOf(kv: KeyValue | undefined): RegisterContent | undefined {
  return kv && { value: textOf(kv.value), modRevision: kv.modRevision };
}

/** One character per byte: two values are equal if their texts are equal. */
function textOf(value: Uint8Array): string {
  return asBuffer(value).toString('latin1');
}
