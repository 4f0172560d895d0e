import type { Socket } from 'node:net';
import { onAbort } from '../../../../kernel/time/abort.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { ProxyProblem } from './proxy-problem.ts';

export interface DialLimitOptions {
  readonly runtime: Runtime;
  /** `Infinity` for no limit. */
  readonly connectMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The time limit and the abort of one dial. Either destroys the socket of the dial. `release` ends both.
 */
export class DialLimit {
  /** Whether the connection to the proxy is made. */
  connected = false;
  readonly release: () => void;
  #socket: Socket | undefined;

  constructor({ runtime, connectMs, signal }: DialLimitOptions) {
    const expire = (): void => {
      this.#socket?.destroy(tooLate(this.connected, connectMs));
    };
    const timer = connectMs === Infinity ? undefined : runtime.setTimer(connectMs, expire);
    const unlisten = onAbort(signal, () => {
      timer?.cancel();
      this.#socket?.destroy();
    });
    this.release = (): void => {
      unlisten();
      timer?.cancel();
    };
  }

  /** The socket to destroy from now on. */
  covers(socket: Socket): void {
    this.connected = false;
    this.#socket = socket;
  }
}

function tooLate(connected: boolean, connectMs: number): ProxyProblem {
  const what = connected ? 'it gave no answer' : 'it could not be reached';
  return new ProxyProblem(
    `${what} within ${connectMs} ms`,
    'check host and port of the proxy URL, network and firewall, or raise timeouts.connectMs',
  );
}
