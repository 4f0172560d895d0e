import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options/options.ts';

/** A buffer with an own limit. */
export interface BoundedHandlerBuffer {
  /** Events that may wait for the handler, initial ones left out; at least 1. */
  readonly limit: number;
  /**
   * The reaction above the limit. `coalesce`: the handler gets the net change of each object instead of every change.
   * `close`: the handler is removed, with an error of code BUFFER_FULL.
   */
  readonly whenFull: 'coalesce' | 'close';
}

/**
 * The buffer for the events of a handler that is slower than its informer.
 *
 * | buffer | the handler gets | memory |
 * |---|---|---|
 * | `coalesce` | every event; when 10 000 wait, the net change of each object: one update for several, and no event of an object that was added and deleted | bounded: 10 000 events, or four for each object, if that is more |
 * | `{ limit, whenFull: 'coalesce' }` | the same, with a limit of your own | bounded: `limit`, or four for each object |
 * | `{ limit, whenFull: 'close' }` | every event; above the limit it is removed | bounded: `limit` |
 * | `unbounded` | every event | **not bounded** |
 *
 * Initial events are not counted; there is one for each object that exists when the handler is added. A relist puts one event
 * for each changed object into the buffer at once, a resync one for each object: choose a `limit` with `close` that has room.
 */
export type HandlerBuffer = 'coalesce' | 'unbounded' | BoundedHandlerBuffer;

const OPTIONS: readonly (keyof BoundedHandlerBuffer)[] = ['limit', 'whenFull'];

const COALESCE: BoundedHandlerBuffer = { limit: 10_000, whenFull: 'coalesce' };
const UNBOUNDED: BoundedHandlerBuffer = { limit: Infinity, whenFull: 'coalesce' };

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveHandlerBuffer(
  owner: string,
  buffer: HandlerBuffer = 'coalesce',
): BoundedHandlerBuffer {
  if (buffer === 'coalesce') return COALESCE;
  if (buffer === 'unbounded') return UNBOUNDED;
  if (typeof buffer !== 'object' || buffer === null) {
    return refuse(owner, 'buffer', 'coalesce, unbounded or { limit, whenFull }', buffer);
  }
  rejectUnknownOptions(`${owner}: option "buffer"`, buffer, OPTIONS);
  const { limit, whenFull } = buffer;
  if (whenFull !== 'coalesce' && whenFull !== 'close') {
    return refuse(owner, 'buffer.whenFull', 'coalesce or close', whenFull);
  }
  if (limit === undefined) return refuse(owner, 'buffer.limit', 'a number', limit);
  return { limit: numberOption(owner, 'buffer.limit', limit, 1, { min: 1 }), whenFull };
}

function refuse(owner: string, option: string, rule: string, value: unknown): never {
  const given = typeof value === 'string' ? JSON.stringify(value) : errorMessage(value);
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: option "${option}" must be ${rule}, not ${given}`,
  );
}
