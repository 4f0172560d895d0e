import { is, optionsOf } from '../../../kernel/options/options-schema.ts';

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

const BOUNDED = optionsOf<BoundedHandlerBuffer>()('buffer', {
  limit: is.number({ min: 1 }).required,
  whenFull: is.oneOf('coalesce', 'close').required,
});
const BUFFER = BOUNDED.nestedOr(
  "'coalesce', 'unbounded' or { limit, whenFull }",
  'coalesce',
  'unbounded',
);

const COALESCE: BoundedHandlerBuffer = { limit: 10_000, whenFull: 'coalesce' };
const UNBOUNDED: BoundedHandlerBuffer = { limit: Infinity, whenFull: 'coalesce' };

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveHandlerBuffer(
  owner: string,
  buffer: HandlerBuffer = 'coalesce',
): BoundedHandlerBuffer {
  if (buffer === 'coalesce') return COALESCE;
  if (buffer === 'unbounded') return UNBOUNDED;
  BUFFER.read(owner, 'buffer', buffer);
  return { limit: buffer.limit, whenFull: buffer.whenFull };
}
