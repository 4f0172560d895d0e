import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { isWellFormed, orderedForm } from './ordered-form.ts';

/**
 * Checks a key or a range. A range may start at the empty key, which sorts first; a single key must not be empty. A text with
 * an unpaired surrogate is refused: it has no UTF-8 form, and different ones would be encoded as the same key.
 * @throws {ListwatchError} INVALID_KEY.
 */
export function checkKey(key: string, rangeEnd?: string): void {
  if (key === '' && rangeEnd === undefined) {
    throw new ListwatchError('INVALID_KEY', 'a key must not be empty');
  }
  checkText(key);
  if (rangeEnd !== undefined) checkText(rangeEnd);
}

/** A watch must cover at least one possible key, as in etcd. @throws {ListwatchError} INVALID_KEY. */
export function checkWatchedKeys(key: string, rangeEnd?: string): void {
  checkKey(key, rangeEnd);
  if (rangeEnd !== undefined && isEmptyRange(key, rangeEnd)) {
    const range = `from ${JSON.stringify(key)} to ${JSON.stringify(rangeEnd)}`;
    throw new ListwatchError('INVALID_KEY', `a watch ${range} contains no key`);
  }
}

/** Whether the range contains no possible key. */
export function isEmptyRange(key: string, rangeEnd: string): boolean {
  return orderedForm(rangeEnd) <= (key === '' ? '\0' : orderedForm(key));
}

function checkText(text: string): void {
  if (isWellFormed(text)) return;
  throw new ListwatchError(
    'INVALID_KEY',
    `the key ${JSON.stringify(text)} is not valid Unicode: it has an unpaired surrogate`,
  );
}
