import type { Agent } from 'node:http';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { notConnectedInTime } from './cause/not-connected-in-time.ts';

/**
 * Limits the time that an agent may take to make a connection, with TLS. After it the connection ends with ETIMEDOUT.
 *
 * TCP sends its first packet again after 1, 3, 7 and 15 s, and then after longer waits. With a limit of ten seconds and a new
 * connection, a client is back within a few seconds after a network that lost all packets has recovered.
 */
export function limitConnecting<A extends Agent>(
  agent: A,
  { runtime, limitMs, secure }: { runtime: Runtime; limitMs: number; secure: boolean },
): A {
  if (limitMs === Infinity) return agent;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (socket === undefined || socket === null) return socket;
    const timer = runtime.setTimer(limitMs, () => {
      socket.destroy(notConnectedInTime(limitMs));
    });
    const made = (): void => timer.cancel();
    socket.once(secure ? 'secureConnect' : 'connect', made);
    socket.once('close', made);
    return socket;
  };
  return agent;
}
