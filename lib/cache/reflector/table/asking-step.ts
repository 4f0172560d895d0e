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
import { isOlder } from '../../../meta/version-order.ts';
import type { FailureKind } from '../failure/watch-error.ts';

/** Nothing is known about the server, or only that it cannot answer for now. */
const UNANSWERED: ReadonlySet<FailureKind> = new Set([
  'connection-refused',
  'connection-lost',
  'unavailable',
  'too-many-requests',
]);

/**
 * The rows of the table for the question that is asked after several watches were lost. In an outage it has no answer, and the
 * watch goes on from its old version afterwards; only with a server that answers are further lost watches a reason to list.
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
