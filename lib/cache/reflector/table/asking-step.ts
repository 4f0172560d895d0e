import type { AskingState, ReflectorInput, ReflectorStep } from './reflector-state.ts';
import {
  backOff,
  impossible,
  move,
  REPORT,
  REPORT_WENT_BACK,
  startRound,
  startWatch,
} from './step-moves.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { FailureKind } from '../failure/watch-error.ts';

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
export function fromAsking(state: AskingState, input: ReflectorInput): ReflectorStep {
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
