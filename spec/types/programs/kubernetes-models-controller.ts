/** A whole controller on the interfaces of `kubernetes-models`. Compiled, never run. */
import {
  controllerOf,
  isNotFound,
  labelSelectorFromSpec,
  RateLimitingQueue,
  ReconcileLoop,
  SharedInformerFactory,
  TerminalError,
  type Client,
  type Lister,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
  type ResourceClient,
  type SharedIndexInformer,
  type Stored,
} from 'listwatch';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IDeploymentCondition } from 'kubernetes-models/apps/v1/DeploymentCondition';
import type { IReplicaSet } from 'kubernetes-models/apps/v1/ReplicaSet';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IPod } from 'kubernetes-models/v1/Pod';

type Kinds = {
  'v1/pods': IPod;
  'v1/configmaps': IConfigMap;
  'apps/v1/deployments': IDeployment;
  'apps/v1/replicasets': IReplicaSet;
};

const CONFIG = 'shop.example.com/config';

/** Gives a deployment the config map that its annotation asks for, and says in a condition how many of its pods run. */
export class ConfiguredDeployments {
  readonly #client: Client<Kinds>;
  readonly #informers: SharedInformerFactory<Kinds>;
  readonly #deployments: SharedIndexInformer<IDeployment>;
  readonly #pods: SharedIndexInformer<IPod, 'byReplicaSet' | 'byPhase'>;
  readonly #sets: Lister<Stored<IReplicaSet>>;
  readonly #queue = new RateLimitingQueue<string>();

  constructor(client: Client<Kinds>) {
    this.#client = client;
    this.#informers = new SharedInformerFactory(client, { freeze: true });
    this.#deployments = this.#informers.for('apps/v1', 'deployments');
    this.#sets = this.#informers.for('apps/v1', 'replicasets').lister;
    this.#pods = this.#informers.for('v1', 'pods', {
      indexers: {
        byReplicaSet: (pod) => {
          const owner = controllerOf(pod);
          return owner?.kind === 'ReplicaSet' ? [owner.uid] : [];
        },
        byPhase: (pod) => [pod.status?.phase ?? 'Unknown'],
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#deployments.addHandler({ view: 'key', onAdd: ({ key }) => this.#queue.add(key) });
    this.#deployments.addHandler({
      onUpdate: (old, changed) => {
        if (old.spec?.replicas === changed.spec?.replicas) return;
        this.#queue.add(`${changed.metadata.namespace ?? ''}/${changed.metadata.name}`);
      },
    });
    this.#pods.addHandler({
      onUpdate: (old, pod) => {
        if (old.status?.phase !== pod.status?.phase) this.#enqueueOwner(pod);
      },
      onDelete: (pod) => this.#enqueueOwner(pod),
    });
    this.#informers.start();
    await this.#informers.whenSynced({ timeoutMs: 30_000 });
    const reconcile = this.#reconcile.bind(this);
    await new ReconcileLoop({ queue: this.#queue, reconcile, concurrency: 4 }).run({ signal });
  }

  #enqueueOwner(pod: IPod): void {
    const namespace = pod.metadata?.namespace ?? '';
    const set = this.#sets.namespace(namespace).get(controllerOf(pod)?.name ?? '');
    const owner = set === undefined ? undefined : controllerOf(set);
    if (owner !== undefined) this.#queue.add(`${namespace}/${owner.name}`);
  }

  async #reconcile(
    { key, failures }: ReconcileRequest,
    { signal }: ReconcileContext,
  ): Promise<ReconcileResult | void> {
    const cached = this.#deployments.indexer.get(key);
    const wanted = cached?.metadata.annotations?.[CONFIG];
    if (cached === undefined || wanted === undefined) return;
    if (wanted === '') throw new TerminalError(`${key}: ${CONFIG} is empty`);
    const { namespace } = cached.metadata;
    const maps = this.#client.resource('v1', 'configmaps', { namespace });
    const applied = await applyConfig(maps, cached, wanted, signal);
    const deployments = this.#client.resource('apps/v1', 'deployments', { namespace });
    const running = this.#running(cached);
    try {
      const live = await deployments.get(cached.metadata.name, { signal });
      await deployments.updateStatus(withCondition(live, running, applied), { signal });
      await deployments.applyStatus(
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: live.metadata.name },
          status: { observedGeneration: live.metadata.generation },
        },
        { fieldManager: 'shop', force: true, signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (running < (cached.spec?.replicas ?? 1)) return { requeueAfterMs: 1000 * (failures + 1) };
  }

  #running(deployment: Stored<IDeployment>): number {
    const sets = this.#sets
      .namespace(deployment.metadata.namespace ?? '')
      .list({ labels: labelSelectorFromSpec(deployment.spec?.selector ?? {}) })
      .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
    return sets
      .flatMap((set) => this.#pods.indexer.byIndex('byReplicaSet', set.metadata.uid))
      .filter((pod) => pod.status?.phase === 'Running').length;
  }
}

async function applyConfig(
  maps: ResourceClient<IConfigMap>,
  { metadata, apiVersion, kind }: Stored<IDeployment>,
  text: string,
  signal: AbortSignal,
): Promise<Stored<IConfigMap>> {
  const { name, uid } = metadata;
  return await maps.apply(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `${name}-config`,
        labels: { app: name },
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
      data: { config: text },
    },
    { fieldManager: 'shop', signal },
  );
}

function withCondition(
  live: Stored<IDeployment>,
  running: number,
  { metadata }: Stored<IConfigMap>,
): IDeployment {
  const others = live.status?.conditions?.filter(({ type }) => type !== 'Configured') ?? [];
  const message = `${running} pods run with ${metadata.name} at ${metadata.resourceVersion}`;
  const condition: IDeploymentCondition = { type: 'Configured', status: 'True', message };
  return { ...live, status: { ...live.status, conditions: [...others, condition] } };
}

/** Uses that the compiler refuses. */
export async function wrongUsesAreRefused(
  client: Client<Kinds>,
  live: Stored<IDeployment>,
): Promise<void> {
  const deployments = client.resource('apps/v1', 'deployments');
  const of = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } };
  // @ts-expect-error a misspelt field of an apply
  await deployments.apply({ ...of, spec: { replica: 3 } });
  // @ts-expect-error an apply without a name
  await deployments.apply({ ...of, metadata: { labels: { app: 'web' } } });
  // @ts-expect-error a misspelt field of the status
  await deployments.updateStatus({ ...live, status: { readyReplica: 3 } });
  // @ts-expect-error a count as text, and a deployment in place of a config map
  withCondition(live, '3', live);
}
