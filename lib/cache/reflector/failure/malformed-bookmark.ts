import { ListwatchError } from '../../../kernel/errors.ts';

/** A source may be a user's own. */
export function malformedBookmark(name: string): ListwatchError {
  return new ListwatchError(
    'MALFORMED_EVENT',
    `the source of ${name} sent a bookmark without a resourceVersion: each BOOKMARK event has to be { type, resourceVersion, initialEventsEnd }`,
  );
}
