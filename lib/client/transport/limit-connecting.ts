import type { Agent } from 'node:http';
import type { Runtime } from '../../kernel/runtime.ts';

/**
 * Ends connections of an agent that are not made in time, TLS included, with ETIMEDOUT.
 *
 * TCP tries again after 1, 3, 7 and 15 s and then rests: who gives up after ten seconds and connects anew is back within a few
 * seconds after a network that lost all packets has recovered.
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
      const text = `connect ETIMEDOUT: no connection within ${limitMs} ms`;
      socket.destroy(Object.assign(new Error(text), { code: 'ETIMEDOUT' }));
    });
    const made = (): void => timer.cancel();
    socket.once(secure ? 'secureConnect' : 'connect', made);
    socket.once('close', made);
    return socket;
  };
  return agent;
}
