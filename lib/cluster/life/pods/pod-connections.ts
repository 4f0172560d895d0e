import type { PodHandler, PodNodes } from '../../../server/api/pods/pod-handlers.ts';
import type { ContainerRequest } from '../../../server/registry/contract/node-connector.ts';
import { isAlive, type ContainerLife } from '../containers/container-life.ts';
import type { PodAgent } from './pod-agent.ts';
import type { PodContainers } from './pod-containers.ts';

/** The shell's code for a command that cannot be run. */
const CANNOT_RUN = 126;

/** Logs, commands, ports and what is attached to, of the pods of the nodes. */
export class PodConnections implements PodNodes {
  readonly #agents: ReadonlyMap<string, PodAgent>;

  /** `agents`: by `namespace/name`. */
  constructor(agents: ReadonlyMap<string, PodAgent>) {
    this.#agents = agents;
  }

  handlerOf({ pod, container, target }: ContainerRequest): PodHandler | undefined {
    const { namespace = '', name = '', uid } = pod.metadata ?? {};
    const agent = this.#agents.get(`${namespace}/${name}`);
    if (agent === undefined || agent.uid !== uid || agent.node.phase !== 'running')
      return undefined;
    if (target !== undefined) return { http: listenerAt(agent.containers, target.port) };
    // Ports are those of the whole pod.
    const forwards = ({ name: one }: ContainerLife): boolean =>
      agent.containers.behaviour(one).portForward !== undefined;
    const first = agent.containers.lives.find(forwards)?.name ?? '';
    return handlerOf(agent.containers, container === '' ? first : container);
  }
}

/** The function of a running container that answers at a port. */
function listenerAt(containers: PodContainers, port: number): PodHandler['http'] {
  const listening = containers.lives.filter(isAlive).find(({ name }) => {
    const { http, httpPorts = containers.ports(name) } = containers.behaviour(name);
    return http !== undefined && (httpPorts.length === 0 || httpPorts.includes(port));
  });
  return listening && containers.behaviour(listening.name).http;
}

function handlerOf(containers: PodContainers, name: string): PodHandler {
  const { exec, attach, portForward } = containers.behaviour(name);
  return {
    log: ({ previous }) =>
      previous ? containers.previousLog(name)?.read() : containers.log(name)?.read(),
    exec:
      exec ??
      (async ({ stderr }) => {
        await stderr.write(
          `no function answers commands in the container ${name}: give "exec" in option containers\n`,
        );
        return CANNOT_RUN;
      }),
    attach:
      attach ??
      (async ({ stdout, signal }) => {
        const live = containers.log(name)?.read().live;
        if (live === undefined) return;
        for await (const line of untilAborted(live, signal)) {
          await stdout.write(`${typeof line === 'string' ? line : line.text}\n`);
        }
      }),
    portForward:
      portForward ??
      (() => {
        throw new Error(`nothing listens in the pod: give "portForward" in option containers`);
      }),
  };
}

async function* untilAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  const leave = (): void => void iterator.return?.();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || signal.aborted) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}
