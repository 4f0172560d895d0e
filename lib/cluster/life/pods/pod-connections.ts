import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { PodHandler, PodNodes } from '../../../server/api/pods/pod-handlers.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { quantityText } from '../../../meta/quantity.ts';
import type {
  ContainerRequest,
  UsageTexts,
} from '../../../server/registry/contract/node-connector.ts';
import { sumOfUsage, SYSTEM_USAGE, type Usage } from '../containers/container-usage.ts';
import type { NodeRegistry } from '../nodes/node-registry.ts';
import { isAlive, type ContainerLife } from '../containers/container-life.ts';
import { execKnown } from '../containers/exec-known.ts';
import type { PodAgent } from './pod-agent.ts';
import type { PodContainers } from './pod-containers.ts';

/** Logs, commands, ports, what is attached to, and what is used, of the pods of the nodes. */
export class PodConnections implements PodNodes {
  readonly #agents: ReadonlyMap<string, PodAgent>;
  readonly #nodes: Pick<NodeRegistry, 'get'>;
  readonly #runtime: Runtime;

  /** `agents`: by `namespace/name`. */
  constructor(
    agents: ReadonlyMap<string, PodAgent>,
    nodes: Pick<NodeRegistry, 'get'>,
    runtime: Runtime,
  ) {
    this.#agents = agents;
    this.#nodes = nodes;
    this.#runtime = runtime;
  }

  handlerOf({ pod, container, target }: ContainerRequest): PodHandler | undefined {
    const agent = this.#agentOf(pod);
    if (agent === undefined) return undefined;
    if (target !== undefined) return { http: listenerAt(agent.containers, target.port) };
    // Ports are those of the whole pod.
    const forwards = ({ name: one }: ContainerLife): boolean =>
      agent.containers.behaviour(one).portForward !== undefined;
    const first = agent.containers.lives.find(forwards)?.name ?? '';
    return handlerOf(agent.containers, container === '' ? first : container, this.#runtime);
  }

  podUsage(pod: UnstructuredObject): ReadonlyMap<string, UsageTexts> {
    const used = this.#agentOf(pod)?.containers.usage() ?? [];
    return new Map([...used].map(([name, usage]) => [name, usageTexts(usage)]));
  }

  nodeUsage(name: string): UsageTexts | undefined {
    if (this.#nodes.get(name)?.phase !== 'running') return undefined;
    const agents = [...this.#agents.values()].filter(({ node }) => node.name === name);
    const used = agents.flatMap(({ containers }) => [...containers.usage().values()]);
    return usageTexts(sumOfUsage([SYSTEM_USAGE, ...used]));
  }

  #agentOf({ metadata = {} }: UnstructuredObject): PodAgent | undefined {
    const { namespace = '', name = '', uid } = metadata;
    const agent = this.#agents.get(`${namespace}/${name}`);
    return agent?.uid === uid && agent?.node.phase === 'running' ? agent : undefined;
  }
}

function usageTexts({ cpu, memory }: Usage): UsageTexts {
  return { cpu: quantityText(cpu), memory: quantityText(memory) };
}

/** The function of a running container that answers at a port. */
function listenerAt(containers: PodContainers, port: number): PodHandler['http'] {
  const listening = containers.lives.filter(isAlive).find(({ name }) => {
    const { http, httpPorts = containers.ports(name) } = containers.behaviour(name);
    return http !== undefined && (httpPorts.length === 0 || httpPorts.includes(port));
  });
  return listening && containers.behaviour(listening.name).http;
}

function handlerOf(containers: PodContainers, name: string, runtime: Runtime): PodHandler {
  const { exec, attach, portForward } = containers.behaviour(name);
  return {
    log: ({ previous }) =>
      previous ? containers.previousLog(name)?.read() : containers.log(name)?.read(),
    exec: exec ?? ((request) => execKnown(request, runtime)),
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
