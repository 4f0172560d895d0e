import type { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { HandlerBuffer } from './handler-buffer.ts';

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
