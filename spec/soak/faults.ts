import { ListwatchError } from '../../lib/kernel/failure/errors.ts';
import { failure } from '../../lib/meta/failure/api-error.ts';
import { expired, internalError, tooManyRequests } from '../../lib/meta/failure/failures.ts';
import type { Dice } from './dice.ts';

/** Everything that can go wrong, by the name that `--without` takes. */
export const FAULT_KINDS = [
  // a stream, at a random place in it
  'end',
  'broken',
  'error-410',
  'error-500',
  'error-504',
  'error-429',
  'silence',
  'delay',
  'repeat',
  'stale',
  // a request
  'refused',
  'refused-410',
  'continue-410',
  'hang',
  'latency',
  // a server
  'no-watch-list',
  'no-end-bookmark',
  'stale-list',
  'compact',
  'restore',
  // callbacks of the user
  'handler',
  'transform',
  'index',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export type StreamFault =
  | 'end'
  | 'broken'
  | 'error-410'
  | 'error-500'
  | 'error-504'
  | 'error-429'
  | 'silence'
  | 'delay'
  | 'repeat'
  | 'stale';

const STREAM_FAULTS: ReadonlySet<string> = new Set<StreamFault>([
  'end',
  'broken',
  'error-410',
  'error-500',
  'error-504',
  'error-429',
  'silence',
  'delay',
  'repeat',
  'stale',
]);

export function isStreamFault(kind: FaultKind): kind is StreamFault {
  return STREAM_FAULTS.has(kind);
}

/** The error that an ERROR event or a broken connection throws; undefined for faults that are no error. */
export function errorOf(kind: StreamFault): Error | undefined {
  switch (kind) {
    case 'broken':
      return new ListwatchError('CONNECTION_FAILED', 'the connection was reset');
    case 'error-410':
      return expired('too old resource version');
    case 'error-500':
      return internalError('etcdserver: leader changed');
    case 'error-504':
      return failure('Timeout', 'the request timed out');
    case 'error-429':
      return tooManyRequests('the server is busy', 1);
    default:
      return undefined;
  }
}

/** Why a request is refused. */
export function refusal(dice: Dice): Error {
  return dice.weighted<() => Error>([
    [3, () => tooManyRequests('the server is busy', dice.int(0, 3))],
    [3, () => internalError('etcdserver: request timed out')],
    [2, () => failure('ServiceUnavailable', 'the server is starting')],
    [2, () => failure('Timeout', 'the request timed out')],
    [3, () => new ListwatchError('CONNECTION_REFUSED', 'no listener')],
    [3, () => new ListwatchError('CONNECTION_FAILED', 'the connection was reset')],
    [1, () => failure('Unauthorized', 'the token has expired')],
    [1, () => failure('Forbidden', 'not yet')],
  ])();
}

/** Faults that came to pass. */
export class FaultLog {
  readonly counts: Map<FaultKind, number> = new Map();

  happened(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}
