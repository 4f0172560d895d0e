import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import { unlessExists } from '../../support/quiet.ts';
import { creates, deletes } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

interface Instance extends KubernetesObject {
  readonly spec: { readonly version: string };
  readonly status?: { readonly store?: string };
}

const INSTANCE = { apiVersion: 'core.pingcap.com/v1alpha1', kind: 'TiKV', plural: 'tikvs' };
const STORE = { apiVersion: 'corpus.example.com/v1', kind: 'Store', plural: 'stores' };
const { apiVersion, plural } = INSTANCE;
const FINALIZER = 'core.pingcap.com/finalizer';

/** Makes a store that no owner reference reaches, and removes the finalizer when the store is gone. */
function setUp(asksFirst: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const instances = informers.for<Instance>(apiVersion, plural);
    const stores = informers.for(STORE.apiVersion, STORE.plural);
    for (const informer of [instances, stores]) {
      informer.addHandler({
        view: 'key',
        onAdd: ({ key }) => queue.add(key),
        onUpdate: ({ key }) => queue.add(key),
        onDelete: ({ key }) => queue.add(key),
      });
    }
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const instance = instances.lister.namespace(namespace).get(name);
      if (instance === undefined) return;
      const own = client.resource<Instance>(apiVersion, plural, { namespace });
      const api = client.resource(STORE.apiVersion, STORE.plural, { namespace });
      const { uid, resourceVersion } = instance.metadata;
      const { finalizers = [], deletionTimestamp } =
        instance.metadata as KubernetesObject['metadata'] & object;
      // A store of an instance of the same name that is gone, or is not seen yet, is another one.
      const isOwn = (one: KubernetesObject): boolean => one.metadata?.labels?.['instance'] === uid;
      const found = stores.lister.namespace(namespace).get(name);
      const known = found !== undefined && isOwn(found) ? found : undefined;
      if (deletionTimestamp !== undefined) {
        if (!finalizers.includes(FINALIZER)) return;
        const { items } = asksFirst ? await api.list() : { items: [] };
        const store = known ?? items.find(isOwn);
        if (store !== undefined) {
          const preconditions = { uid: store.metadata.uid };
          await api.delete(name, { preconditions, ignoreNotFound: true });
          return { requeueAfterMs: 100 };
        }
        await own.patch(name, { metadata: { uid, resourceVersion, finalizers: [] } });
        return;
      }
      if (!finalizers.includes(FINALIZER)) {
        await own.patch(name, { metadata: { uid, resourceVersion, finalizers: [FINALIZER] } });
        return;
      }
      if (known === undefined) {
        if (!(await stillThere(own, instance))) return;
        const { kind } = STORE;
        const metadata = { name, labels: { instance: uid } };
        await unlessExists(api.create({ apiVersion: STORE.apiVersion, kind, metadata }));
        return;
      }
      const status = { store: 'Up' };
      if (instance.status?.store === status.store) return;
      await own.patch(
        name,
        { metadata: { uid, resourceVersion }, status },
        { subresource: 'status' },
      );
      return;
    };
  };
}

function isUp(state: ClusterState): boolean {
  return state.get<Instance>(apiVersion, plural, 'kv', 'default')?.status?.store === 'Up';
}

export const tidbOperator6532: KnownBug = {
  name: 'tidb-operator-6532',
  upstream: {
    project: 'pingcap/tidb-operator',
    issue: 'https://github.com/pingcap/tidb-operator/issues/6532',
    fix: undefined,
    summary:
      'The finalizer is removed when the cache has nothing of the instance any more. What was just made is not in the cache, and stays for ever. ' +
      'Fixed here: the server is asked before the finalizer is removed.',
  },
  pattern: 'create-after-delete',
  world: { objects: [customResource(INSTANCE), customResource(STORE)] },
  workload: [
    creates(INSTANCE, 'kv', { version: '8' }, isUp),
    deletes(
      INSTANCE,
      'kv',
      (state) =>
        state.list(apiVersion, plural).length +
          state.list(STORE.apiVersion, STORE.plural).length ===
        0,
    ),
    creates(INSTANCE, 'kv', { version: '8' }, isUp),
  ],
  wrong: [loopOf('tidb-operator', setUp(false))],
  fixed: [loopOf('tidb-operator', setUp(true))],
};
