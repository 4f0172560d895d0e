import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import { LeaderElector } from '../../../../../lib/controller/election/leader-elector.ts';
import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { isListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { sleep } from '../../../../../lib/kernel/time/wait.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type {
  Incarnation,
  SimulatedController,
} from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { runLoop, type LoopParts } from '../../support/operator-of.ts';
import { creates } from '../../support/steps.ts';

interface CiliumNode extends KubernetesObject {
  readonly spec: { readonly podCIDR?: string };
  /** The range that the agent of the node works with. */
  readonly status?: { readonly podCIDR?: string };
}

const NODE = { apiVersion: 'cilium.io/v2', kind: 'CiliumNode', plural: 'ciliumnodes' };
const { apiVersion, plural } = NODE;
/** How long a part of the program takes to stop. The other parts work on meanwhile. */
const SHUTDOWN_MS = 60_000;
/** How long the agent of a node takes to start. */
const STARTUP_MS = 15_000;
const RANGES = 65_536;

/** Gives each node a range of addresses, once. The range is drawn, so that the order of the nodes does not matter. */
function setUp({ client, informers, queue, incarnation }: LoopParts): Reconcile {
  const nodes = informers.for<CiliumNode>(apiVersion, plural);
  nodes.addHandler({ view: 'key', onAdd: ({ key }) => queue.add(key) });
  return async ({ key }) => {
    const { namespace, name } = splitMetaNamespaceKey(key);
    const api = client.resource<CiliumNode>(apiVersion, plural, { namespace });
    const { items } = await api.list();
    const node = items.find(({ metadata }) => metadata.name === name);
    if (node === undefined || node.spec.podCIDR !== undefined) return;
    const taken = new Set(items.map(({ spec }) => spec.podCIDR));
    const draw = (): string => {
      const number = Math.floor(incarnation.runtime.random() * RANGES);
      return `10.${number >> 8}.${number & 255}.0/24`;
    };
    let podCIDR = draw();
    while (taken.has(podCIDR)) podCIDR = draw();
    await api.patch(name, { metadata: { uid: node.metadata.uid }, spec: { podCIDR } });
  };
}

/** Starts on each node with the range that it finds there, and does not change it any more. */
const agents: SimulatedController = {
  name: 'agents',
  run: async ({ client, runtime, logger, signal }) => {
    await controller<CiliumNode>(client, apiVersion, plural, { name: 'agents', runtime, logger })
      .reconcile(async ({ spec: { podCIDR }, status }, { signal: stop }) => {
        if (podCIDR === undefined || status?.podCIDR !== undefined) return;
        await sleep(runtime, STARTUP_MS, { signal: stop });
        return { status: { podCIDR } };
      })
      .run({ signal });
  },
};

/** Takes part in elections until it is stopped, and works while it leads. */
function replica(stopsAtOnce: boolean): SimulatedController {
  const name = 'cilium-operator';
  return {
    name,
    replicas: 2,
    run: async (incarnation: Incarnation) => {
      const { client, runtime, logger, signal, identity } = incarnation;
      const options = {
        name,
        namespace: 'default',
        identity,
        runtime,
        logger,
        drainTimeoutMs: 2 * SHUTDOWN_MS,
      };
      while (!signal.aborted) {
        const elector = new LeaderElector(client, { ...options, fencing: 'strict' });
        try {
          await elector.run({
            signal,
            lead: async (lead) => {
              const stop = new AbortController();
              const onLost = async (): Promise<void> => {
                if (!stopsAtOnce && !signal.aborted) await sleep(runtime, SHUTDOWN_MS, { signal });
                stop.abort();
              };
              lead.signal.addEventListener('abort', () => {
                onLost().catch(() => stop.abort());
              });
              const own = stopsAtOnce ? client.fencedBy(lead.lease) : client;
              await runLoop(name, { ...incarnation, client: own, signal: stop.signal }, setUp);
            },
          });
        } catch (error) {
          if (!isListwatchError(error) || error.code !== 'LEADERSHIP_LOST') throw error;
        }
      }
    },
  };
}

function works(state: ClusterState, name: string): boolean {
  const node = state.get<CiliumNode>(apiVersion, plural, name, 'default');
  return node?.status?.podCIDR !== undefined;
}

export const cilium42920: KnownBug = {
  name: 'cilium-42920',
  upstream: {
    project: 'cilium/cilium',
    issue: 'https://github.com/cilium/cilium/pull/42920',
    fix: 'https://github.com/cilium/cilium/pull/42920',
    summary:
      'A replica that has lost the lease stops part by part. One that takes long to stop holds up the others, which work on beside the new leader, and ' +
      'ranges of addresses are given away twice. The fix ends the process at once. Here a node gets two ranges, and the writes of the fix carry the lease.',
  },
  pattern: 'leader',
  world: { objects: [customResource(NODE)], environment: [agents] },
  workload: ['one', 'two', 'three', 'four', 'five', 'six'].map((node) =>
    creates(NODE, node, {}, (state) => works(state, node)),
  ),
  wrong: [replica(false)],
  fixed: [replica(true)],
  invariants: [
    {
      name: 'a node keeps the range that it works with',
      always: (state) => {
        const nodes = state.list<CiliumNode>(apiVersion, plural);
        const wrong = nodes.find(
          ({ spec, status }) => status?.podCIDR !== undefined && status.podCIDR !== spec.podCIDR,
        );
        return wrong && `${wrong.metadata?.name} works with ${wrong.status?.podCIDR}`;
      },
    },
  ],
};
