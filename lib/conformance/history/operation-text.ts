import type {
  Compare,
  CompareValue,
  TxnOperation,
} from '../../server/mvcc/contract/key-value-store.ts';
import type { RecordedOperation } from './recorded-operation.ts';

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
export function valueText(value: Uint8Array): string {
  const text = Buffer.from(value).toString('utf8');
  return JSON.stringify(text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
}
