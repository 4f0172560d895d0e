import type {
  KeyValue,
  OperationResponse,
  RangeResponse,
} from '../../server/mvcc/contract/key-value-store.ts';
import { valueText } from './operation-text.ts';
import type { RecordedRange, RecordedTxn } from './recorded-operation.ts';
import { sameKeyValue, type ReplayedTxn } from './replayed-state.ts';

type Items = Pick<RangeResponse, 'items' | 'count' | 'more'>;

/** How the result of a transaction differs from the expected one; undefined if it does not. */
export function differenceOf(operation: RecordedTxn, expected: ReplayedTxn): string | undefined {
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

/** How the result of a read differs from the expected one; undefined if it does not. */
export function differenceOfRange(operation: RecordedRange, expected: Items): string | undefined {
  const { outcome, id } = operation;
  if (outcome.type !== 'answered') return undefined;
  const difference = differenceOfItems(outcome.response, expected);
  return difference === undefined
    ? undefined
    : `#${id} at revision ${outcome.response.revision}: ${difference}`;
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
