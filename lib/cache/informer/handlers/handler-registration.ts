import type { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';

export interface WaitOptions {
  /** Longest wait, milliseconds. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A handler on an informer. The same handler may be registered several times; each registration gets its own events. */
export interface HandlerRegistration extends AsyncDisposable {
  /** Names the handler in messages. */
  readonly name: string;
  /** Whether the informer is synced and the handler has seen every object of the state at the start. It never becomes false again. */
  readonly synced: boolean;
  /** The reason why it is not synced, as text; undefined once it is. */
  readonly waitingFor: string | undefined;
  /** Events that wait for the handler. */
  readonly pending: number;
  /** The error that removed the handler: code BUFFER_FULL. */
  readonly failure: ListwatchError | undefined;
  /**
   * Resolves when `synced`.
   * @throws {ListwatchError} code TIMEOUT naming what is missing; NOT_STARTED when the informer has not been started by the next
   * task; CLOSED when the handler is removed or the informer stops
   * first; the signal's reason when aborted.
   */
  whenSynced(options?: WaitOptions): Promise<void>;
  /** Removes the handler at once: no callback begins after the call. Calling again has no effect. */
  remove(): void;
  /**
   * Removes the handler and resolves when its last callback has returned. A callback that closes its own registration must
   * not await this after an `await` of its own: it would wait for itself.
   */
  close(): Promise<void>;
}

export interface AddHandlerOptions {
  /** Names the handler in errors, warnings and `inspect()`. @defaultValue its class or `handler`, and a number */
  readonly name?: string | undefined;
  /**
   * The interval at which `onUpdate` gets every object again, milliseconds; at least 1000, or 0 for never. It is rounded up to
   * a multiple of the informer's interval. If the informer has no interval, there is no resync. A resync sends no request.
   * @defaultValue the interval of the informer
   */
  readonly resyncIntervalMs?: number | undefined;
  /** The buffer of a handler that is slower than the informer. @defaultValue 'coalesce' */
  readonly buffer?: HandlerBuffer | undefined;
  /** Removes the handler when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** A handler with several readers, to which it passes each event. */
export interface SharedHandler {
  /** Its name at the informer; undefined while no two readers share it. */
  readonly name: string | undefined;
}

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
