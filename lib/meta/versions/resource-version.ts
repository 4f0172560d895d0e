import { ListwatchError } from '../../kernel/failure/errors.ts';

const DECIMAL = /^(?:0|[1-9][0-9]*)$/;

/** Whether the text can be a resource version: a decimal number of any size without leading zeros. */
export function isResourceVersion(text: unknown): text is string {
  return typeof text === 'string' && DECIMAL.test(text);
}

/**
 * Orders two resource versions of one resource: negative when `left` is older, 0 when equal, positive when newer.
 * They are compared by length, then lexically, and never converted: they may exceed 2^53.
 * The empty string (no version seen yet) is older than all others.
 * @throws {ListwatchError} code INVALID_RESOURCE_VERSION.
 * @see KEP-5504 comparable resource versions; apimachinery util/resourceversion @ eed236c
 */
export function compareResourceVersions(left: string, right: string): number {
  checkResourceVersion(left);
  checkResourceVersion(right);
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function checkResourceVersion(text: string): void {
  if (text !== '' && !isResourceVersion(text)) {
    throw new ListwatchError(
      'INVALID_RESOURCE_VERSION',
      `${JSON.stringify(text)} is not a resource version: expected a decimal number`,
    );
  }
}
