import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import { sleep } from '../../../../../lib/kernel/time/wait.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState, WorkloadStep } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface NodeState {
  readonly name: string;
  readonly uid: string;
  readonly installed: boolean;
}

interface Operand extends KubernetesObject {
  readonly status?: { readonly nodes?: readonly NodeState[] };
}

const OPERAND = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'KubeAPIServer',
  plural: 'kubeapiservers',
};
const { apiVersion, plural } = OPERAND;
const NODE_UID = 'node-uid';
/** How long the disk of a node outlives the node: longer than watches are late without faults. */
const ERASED_AFTER_MS = 10_000;

/** Installs the server once on each node. Its status says where that was done; a config map stands for what is on the disk of a node. */
function operator(knowsUids: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<Operand>(client, apiVersion, plural, options)
      .watches('v1', 'nodes', () => [{ namespace: 'default', name: 'cluster' }])
      .reconcile(async ({ metadata, status }, { resource, lister }) => {
        const maps = resource('v1', 'configmaps');
        const nodes: NodeState[] = [];
        for (const node of lister('v1', 'nodes').list()) {
          const { name, uid } = node.metadata;
          const known = status?.nodes?.find(
            (one) => one.name === name && (!knowsUids || one.uid === uid),
          );
          if (known?.installed === true) {
            nodes.push(known);
            continue;
          }
          if (!(await stillThere(client.resource('v1', 'nodes'), node)))
            return { requeueAfterMs: 1000 };
          const map = { name: `static-pod-${name}`, labels: { [NODE_UID]: uid } };
          const { metadata: written } = await maps.apply({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: map,
          });
          nodes.push({ name, uid, installed: written.labels?.[NODE_UID] === uid });
        }
        nodes.sort((one, other) => one.name.localeCompare(other.name));
        if (JSON.stringify(nodes) === JSON.stringify(status?.nodes ?? [])) return;
        const { name, uid, resourceVersion } = metadata;
        const changed = { metadata: { uid, resourceVersion }, status: { nodes } };
        await resource(apiVersion, plural).patch(name, changed, { subresource: 'status' });
        return;
      });
}

/** Erases what is on the disks of nodes that are gone. */
const machines: SimulatedController = {
  name: 'machines',
  run: async ({ client, runtime, logger, signal }) => {
    await controller(client, 'v1', 'configmaps', { name: 'machines', runtime, logger })
      .watches('v1', 'nodes', ({ metadata: { name } }) => [
        { namespace: 'default', name: `static-pod-${name}` },
      ])
      .reconcile(async ({ metadata }, { resource, signal: stop }) => {
        const ofNode = metadata.labels?.[NODE_UID];
        // The cache may not have a new node yet.
        const isLive = async (): Promise<boolean> => {
          const { items } = await client.resource('v1', 'nodes').list({ signal: stop });
          return items.some((node) => node.metadata.uid === ofNode);
        };
        if (ofNode === undefined || (await isLive())) return;
        await sleep(runtime, ERASED_AFTER_MS, { signal: stop });
        const { name, uid, resourceVersion } = metadata;
        const preconditions = { uid, resourceVersion };
        await resource('v1', 'configmaps').delete(name, { preconditions, ignoreNotFound: true });
      })
      .run({ signal });
  },
};

function isInstalled(state: ClusterState, name: string): boolean {
  const node = state.get('v1', 'nodes', name);
  const map = state.get('v1', 'configmaps', `static-pod-${name}`, 'default');
  return node !== undefined && map?.metadata?.labels?.[NODE_UID] === node.metadata?.uid;
}

function adds(name: string): WorkloadStep {
  return {
    title: `node ${name} comes`,
    act: async (user) => {
      await user.resource('v1', 'nodes').create({ metadata: { name } });
    },
    until: (state) => isInstalled(state, name),
  };
}

const removes: WorkloadStep = {
  title: 'node one goes, and its disk is erased',
  act: async (user) => {
    await user.resource('v1', 'nodes').delete('one');
  },
  until: (state) => state.get('v1', 'configmaps', 'static-pod-one', 'default') === undefined,
};

export const libraryGo2178: KnownBug = {
  name: 'library-go-2178',
  upstream: {
    project: 'openshift/library-go',
    issue: 'https://github.com/openshift/library-go/pull/2178',
    fix: 'https://github.com/openshift/library-go/pull/2178',
    summary:
      'The status lists the nodes where the server is installed, by name. When a node is replaced by another one of its name before the operator looks, ' +
      'nothing is installed on the new one. The fix records the uids of the nodes.',
  },
  pattern: 'unobserved',
  world: { objects: [customResource(OPERAND)], environment: [machines] },
  workload: [
    creates(OPERAND, 'cluster', {}, () => true),
    adds('one'),
    adds('two'),
    removes,
    adds('one'),
  ],
  wrong: [operatorOf('static-pod-operator', operator(false))],
  fixed: [operatorOf('static-pod-operator', operator(true))],
};
