import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Revision } from './key-value-store.ts';

export function compactedError(asked: Revision, compacted: Revision): ListwatchError {
  return new ListwatchError(
    'COMPACTED',
    `revision ${asked} was compacted away: the oldest kept revision is ${compacted}`,
  );
}

export function futureRevisionError(asked: Revision, current: Revision): ListwatchError {
  return new ListwatchError(
    'FUTURE_REVISION',
    `revision ${asked} lies in the future: the current revision is ${current}`,
  );
}
