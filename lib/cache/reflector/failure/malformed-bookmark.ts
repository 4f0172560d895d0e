import { ListwatchError } from '../../../kernel/failure/errors.ts';

/** The error of a source that a user has written. */
export function malformedBookmark(name: string): ListwatchError {
  return new ListwatchError(
    'MALFORMED_EVENT',
    `the source of ${name} sent a bookmark without a resourceVersion: each BOOKMARK event has to be { type, resourceVersion, initialEventsEnd }`,
  );
}
