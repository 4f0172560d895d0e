import { ListwatchError } from '../../kernel/errors.ts';
import type {
  Compare,
  CompareValue,
  DeleteOperation,
  KeyValue,
  Operation,
  OperationResponse,
  PutOperation,
  TxnRequest,
  TxnResponse,
} from './key-value-store.ts';
import type { LeaseTable } from './lease-table.ts';
import type { MultiVersionMap } from './multi-version-map.ts';
import { orderedForm } from './ordered-form.ts';

/** etcd's DefaultMaxTxnOps. */
const MOST_OPERATIONS = 128;

/**
 * Refuses a transaction before anything of it is carried out, so that a failing one leaves no trace.
 * @throws {ListwatchError} TOO_MANY_OPERATIONS, DUPLICATE_KEY, INVALID_KEY, LEASE_NOT_FOUND, COMPACTED, FUTURE_REVISION.
 */
export function checkTxn(request: TxnRequest, state: MultiVersionMap, leases: LeaseTable): void {
  const { compare, success, failure = [] } = request;
  for (const list of [compare, success, failure]) {
    if (list.length > MOST_OPERATIONS) {
      throw new ListwatchError(
        'TOO_MANY_OPERATIONS',
        `a transaction has at most ${MOST_OPERATIONS} comparisons or operations, not ${list.length}`,
      );
    }
  }
  for (const { key } of compare) checkKey(key);
  for (const operations of [success, failure]) {
    for (const operation of operations) checkOperation(operation, state, leases);
    if (operations.length > 1) checkDistinctWrites(operations);
  }
}

/** A range may start at the empty key, which sorts first; a single key must not be empty. */
export function checkKey(key: string, rangeEnd?: string): void {
  if (key === '' && rangeEnd === undefined)
    throw new ListwatchError('INVALID_KEY', 'a key must not be empty');
}

function checkOperation(operation: Operation, state: MultiVersionMap, leases: LeaseTable): void {
  checkKey(operation.key, operation.type === 'put' ? undefined : operation.rangeEnd);
  if (operation.type === 'put') {
    if (operation.lease !== undefined && operation.lease !== 0n) leases.check(operation.lease);
  } else if (operation.type === 'range' && operation.revision !== undefined) {
    if (operation.revision !== 0n) state.checkReadable(operation.revision);
  }
}

/** A key may be put once, and not both put and deleted; deleting it twice is harmless. */
function checkDistinctWrites(operations: readonly Operation[]): void {
  const puts = new Set<string>();
  for (const operation of operations) {
    if (operation.type !== 'put') continue;
    if (puts.has(operation.key)) throw duplicateKey(operation.key);
    puts.add(operation.key);
  }
  for (const operation of operations) {
    if (operation.type !== 'delete') continue;
    for (const key of puts) if (covers(operation, key)) throw duplicateKey(key);
  }
}

function duplicateKey(key: string): ListwatchError {
  return new ListwatchError('DUPLICATE_KEY', `the transaction writes the key "${key}" twice`);
}

function covers({ key, rangeEnd }: DeleteOperation, candidate: string): boolean {
  if (rangeEnd === undefined) return key === candidate;
  const order = orderedForm(candidate);
  return order >= orderedForm(key) && order < orderedForm(rangeEnd);
}

/** Carries out a checked transaction in the open revision, which the caller commits. */
export function runTxn(request: TxnRequest, state: MultiVersionMap): TxnResponse {
  const succeeded = request.compare.every((one) => holds(one, state.get(one.key)));
  const operations = succeeded ? request.success : (request.failure ?? []);
  const responses = operations.map((operation) => run(operation, state));
  return { succeeded, revision: state.revision, responses };
}

function run(operation: Operation, state: MultiVersionMap): OperationResponse {
  switch (operation.type) {
    case 'put':
      return runPut(operation, state);
    case 'delete':
      return runDelete(operation, state);
    case 'range':
      return { type: 'range', ...state.range(operation) };
  }
}

function runPut({ key, value, lease }: PutOperation, state: MultiVersionMap): OperationResponse {
  state.put(key, value, lease ?? 0n);
  return PUT_RESPONSE;
}

const PUT_RESPONSE: OperationResponse = { type: 'put' };

function runDelete({ key, rangeEnd }: DeleteOperation, state: MultiVersionMap): OperationResponse {
  const previous: KeyValue[] = [];
  for (const kv of state.range({ key, rangeEnd }).items) {
    state.delete(kv.key);
    previous.push(kv);
  }
  return { type: 'delete', deleted: previous.length, previous };
}

function holds(compare: Compare | CompareValue, kv: KeyValue | undefined): boolean {
  if (compare.target === 'value') {
    if (kv === undefined) return false;
    return orders(Buffer.compare(kv.value, compare.operand), compare.operator);
  }
  const actual = kv === undefined ? 0n : kv[compare.target];
  const { operand } = compare;
  return orders(actual < operand ? -1 : actual > operand ? 1 : 0, compare.operator);
}

function orders(comparison: number, operator: Compare['operator']): boolean {
  switch (operator) {
    case '=':
      return comparison === 0;
    case '!=':
      return comparison !== 0;
    case '<':
      return comparison < 0;
    case '>':
      return comparison > 0;
  }
}
