import type {
  ReadingVersionState,
  ListingState,
  ReflectorInput,
  ReflectorMemory,
  ReflectorStep,
  ProbingState,
} from './reflector-state.ts';
import {
  backOff,
  CLOSE,
  fail,
  impossible,
  isPermanent,
  listAt,
  move,
  REPORT,
  REPORT_WENT_BACK,
  startRound,
  startWatch,
} from './step-moves.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { Failure, FailureKind } from '../failure/watch-error.ts';

const KEEP_PAGE = { type: 'keep-page' } as const;

/** The rows of the table for a list, page by page. */
export function fromListing(state: ListingState, input: ReflectorInput): ReflectorStep {
  switch (input.type) {
    case 'page':
      return fromPage(state, input);
    case 'list-failed':
      return fromListFailure(state, input.failure);
    case 'watch-refused':
    case 'stream-failed': {
      if (state.overlapFrom === undefined) return impossible(state, input);
      const { message, retryAfterMs, kind } = input.failure;
      const reason = `the watch beside the list failed: ${message}`;
      if (kind === 'unsupported') return fail(startRound(state.memory), input.failure, reason);
      return backOff(startRound(state.memory), retryAfterMs, reason, CLOSE, REPORT);
    }
    default:
      return impossible(state, input);
  }
}

/** The rows for the request that finds the version from which the watch of an overlapped list starts. */
export function fromReadingVersion(
  state: ReadingVersionState,
  input: ReflectorInput,
): ReflectorStep {
  const { memory } = state;
  if (input.type === 'list-failed') {
    const { message, retryAfterMs } = input.failure;
    const reason = `the server did not say where it stands: ${message}`;
    if (isPermanent(input.failure)) return fail(startRound(memory), input.failure, reason);
    return backOff(startRound(memory), retryAfterMs, reason, REPORT);
  }
  if (input.type !== 'page') return impossible(state, input);
  const { resourceVersion } = input;
  const latest = listAt(memory, '');
  if (resourceVersion === '' || resourceVersion === '0')
    return move(latest, 'the server has no resource versions');
  return move({ ...latest, overlapFrom: resourceVersion }, 'a watch runs beside the list');
}

function fromPage(
  state: ListingState,
  input: Extract<ReflectorInput, { type: 'page' }>,
): ReflectorStep {
  const { memory } = state;
  const listedVersion = state.listedVersion ?? input.resourceVersion;
  const seen = memory.resourceVersion;
  if (state.resourceVersion !== '' && isOlder(listedVersion, seen)) {
    const reason = `the list is at resource version ${listedVersion}, behind ${seen} that was seen`;
    return move(atMostRecent(state), reason, REPORT_WENT_BACK);
  }
  if (input.continueToken !== undefined && input.continueToken !== '') {
    const { continueToken } = input;
    return move({ ...state, listedVersion, continueToken }, 'a page was listed', KEEP_PAGE);
  }
  const inPages = state.whole || state.continueToken !== undefined;
  const listed: ReflectorMemory = {
    ...memory,
    resourceVersion: listedVersion,
    unavailable: false,
    paged: memory.paged || (inPages && state.resourceVersion === '0'),
  };
  const reason = isOlder(listedVersion, seen) ? `listed, back from ${seen}` : 'listed';
  const fresh = state.overlapFrom === undefined;
  return move({ ...startWatch(listed), fresh }, reason, KEEP_PAGE, {
    type: 'replace',
    resourceVersion: listedVersion,
  });
}

function fromListFailure(state: ListingState, failure: Failure): ReflectorStep {
  const { memory, resourceVersion, limit, overlapFrom } = state;
  const { kind, message, retryAfterMs } = failure;
  if (kind === 'expired' && state.continueToken !== undefined) {
    const name = 'listing';
    const again = { name, memory, resourceVersion, limit, whole: true, overlapFrom } as const;
    return move(again, `the continue token expired: ${message}`, REPORT);
  }
  const permanent = isPermanent(failure);
  if (permanent && resourceVersion === '' && state.continueToken === undefined) {
    return fail(startRound(memory), failure, `the list was refused: ${message}`);
  }
  const again = permanent && state.continueToken === undefined;
  const refused = again || kind === 'expired' || kind === 'gone' || kind === 'too-large';
  if (refused && resourceVersion !== '') {
    const reason = `resource version ${resourceVersion} was refused: ${message}`;
    return move(atMostRecent(state), reason, REPORT);
  }
  const effects = overlapFrom === undefined ? [REPORT] : [CLOSE, REPORT];
  return backOff(startRound(memory), retryAfterMs, `the list failed: ${message}`, ...effects);
}

/** The same list, with the same page size, of the most recent state, even if it is older than the state seen. */
function atMostRecent({ memory, limit }: ListingState): ListingState {
  return {
    name: 'listing',
    memory: { ...memory, unavailable: true },
    resourceVersion: '',
    limit,
    whole: false,
  };
}

/** Failures after which the server is unknown, or known to be unable to answer at present. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set([
  'connection-refused',
  'connection-lost',
  'unavailable',
  'too-many-requests',
]);

/**
 * The rows of the table for the request that is sent after several watches were lost. In an outage it has no answer, and the
 * watch later continues from its old version. If the server answers and watches are lost again, the collection is listed.
 */
export function fromProbing(state: ProbingState, input: ReflectorInput): ReflectorStep {
  const { memory, fresh } = state;
  const again = { ...startWatch(memory), fresh, answered: true };
  if (input.type === 'list-failed') {
    const { kind, message, retryAfterMs } = input.failure;
    const answered = !UNANSWERED.has(kind);
    const reason = `the server ${answered ? 'refused' : 'did not answer'} a question: ${message}`;
    return backOff(answered ? again : state, retryAfterMs, reason, REPORT);
  }
  if (input.type !== 'page') return impossible(state, input);
  const { resourceVersion } = input;
  const seen = memory.resourceVersion;
  if (!isOlder(resourceVersion, seen)) return move(again, 'the server answers again');
  const reason = `the server is at resource version ${resourceVersion}, behind ${seen} that was seen`;
  return move(startRound(memory), reason, REPORT_WENT_BACK);
}
