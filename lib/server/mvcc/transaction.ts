import { ListwatchError } from '../../kernel/failure/errors.ts';
import { checkKey } from './contract/key-rules.ts';
import type {
  Compare,
  CompareValue,
  DeleteOperation,
  KeyValue,
  TxnOperation,
  OperationResponse,
  PutOperation,
  Revision,
  TxnRequest,
  TxnResponse,
} from './contract/key-value-store.ts';
import type { LeaseTable } from './lease-table.ts';
import type { MultiVersionMap } from './multi-version-map.ts';
import { orderedForm } from './contract/ordered-form.ts';

/** etcd's DefaultMaxTxnOps. */
const MOST_OPERATIONS = 128;

/** The state against which a transaction is checked and carried out. */
export interface TxnContext {
  readonly state: MultiVersionMap;
  readonly leases: LeaseTable;
  /** Maximum size of the values in one transaction, both branches together, in bytes. */
  readonly maxValueBytes: number;
}

/**
 * Carries out a transaction in the open revision, which the caller commits. All checks come before the first write, so a
 * refused transaction has no effect.
 * @throws {ListwatchError} TOO_MANY_OPERATIONS, DUPLICATE_KEY, INVALID_KEY and VALUE_TOO_LARGE for either branch;
 * LEASE_NOT_FOUND, COMPACTED and FUTURE_REVISION for the branch that is taken.
 */
export function runTxn(request: TxnRequest, context: TxnContext): TxnResponse {
  const { compare, success, failure = NO_OPERATIONS } = request;
  checkShape(request, context.maxValueBytes);
  const { state } = context;
  const succeeded = compare.every((one) => holds(one, state.get(one.key)));
  const operations = succeeded ? success : failure;
  for (const operation of operations) checkPossible(operation, context);
  const responses = operations.map((operation) => run(operation, state));
  const { revision } = state;
  return { succeeded, revision, responses: responses.map((one) => atRevision(one, revision)) };
}

const NO_OPERATIONS: readonly TxnOperation[] = [];

/** Refuses a transaction that is invalid in every state. */
function checkShape({ compare, success, failure }: TxnRequest, maxValueBytes: number): void {
  checkCount(compare);
  for (const { key } of compare) checkKey(key);
  checkOperations(success);
  let bytes = valueBytes(success);
  if (failure !== undefined) {
    checkOperations(failure);
    bytes += valueBytes(failure);
  }
  if (bytes > maxValueBytes) throw tooLarge(success, failure, bytes, maxValueBytes);
}

function checkOperations(operations: readonly TxnOperation[]): void {
  checkCount(operations);
  for (const operation of operations) {
    checkKey(operation.key, operation.type === 'put' ? undefined : operation.rangeEnd);
  }
  if (operations.length > 1) checkDistinctWrites(operations);
}

function checkCount({ length }: readonly unknown[]): void {
  if (length <= MOST_OPERATIONS) return;
  throw new ListwatchError(
    'TOO_MANY_OPERATIONS',
    `a transaction has at most ${MOST_OPERATIONS} comparisons or operations, not ${length}`,
  );
}

function valueBytes(operations: readonly TxnOperation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if (operation.type === 'put') bytes += operation.value.byteLength;
  }
  return bytes;
}

function tooLarge(
  success: readonly TxnOperation[],
  failure: readonly TxnOperation[] = NO_OPERATIONS,
  bytes: number,
  maxBytes: number,
): ListwatchError {
  const keys = [...success, ...failure].flatMap(({ type, key }) => (type === 'put' ? [key] : []));
  const which =
    keys.length === 1 ? `the value of "${keys[0]}" has` : `the ${keys.length} values have`;
  return new ListwatchError(
    'VALUE_TOO_LARGE',
    `${which} ${bytes} bytes; at most ${maxBytes} are allowed in a transaction (maxValueBytes)`,
  );
}

/** Refuses a transaction that the present state does not allow. */
function checkPossible(operation: TxnOperation, { state, leases }: TxnContext): void {
  if (operation.type === 'put') {
    if (operation.lease !== undefined && operation.lease !== 0n) leases.check(operation.lease);
  } else if (operation.type === 'range' && operation.revision !== undefined) {
    if (operation.revision > 0n) state.checkReadable(operation.revision);
  }
}

/** A key may be put once, and not both put and deleted. Deleting it twice is allowed. */
function checkDistinctWrites(operations: readonly TxnOperation[]): void {
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

/** Sets the revision of a range response to that of the whole transaction. */
function atRevision(response: OperationResponse, revision: Revision): OperationResponse {
  if (response.type !== 'range' || response.revision === revision) return response;
  return { ...response, revision };
}

function run(operation: TxnOperation, state: MultiVersionMap): OperationResponse {
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
