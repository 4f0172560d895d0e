/** A whole controller on the types of `listwatch/types`. Compiled, never run. */
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
import type { AppsV1, ConfigMap, Deployment, Pod } from 'listwatch/types';

const CONFIG = 'shop.example.com/config';

/** Gives a deployment the config map that its annotation asks for, and says in a condition how many of its pods run. */
export class ConfiguredDeployments {
  readonly #client: Client;
  readonly #informers: SharedInformerFactory;
  readonly #deployments: SharedIndexInformer<Deployment>;
  readonly #pods: SharedIndexInformer<Pod, 'byReplicaSet' | 'byPhase'>;
  readonly #sets: Lister<Stored<AppsV1.ReplicaSet>>;
  readonly #queue = new RateLimitingQueue<string>();

  constructor(client: Client) {
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

  #enqueueOwner(pod: Pod): void {
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

  #running(deployment: Stored<Deployment>): number {
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
  maps: ResourceClient<ConfigMap>,
  { metadata, apiVersion, kind }: Stored<Deployment>,
  text: string,
  signal: AbortSignal,
): Promise<Stored<ConfigMap>> {
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
  live: Stored<Deployment>,
  running: number,
  { metadata }: Stored<ConfigMap>,
): Deployment {
  const others = live.status?.conditions?.filter(({ type }) => type !== 'Configured') ?? [];
  const message = `${running} pods run with ${metadata.name} at ${metadata.resourceVersion}`;
  const condition: AppsV1.DeploymentCondition = { type: 'Configured', status: 'True', message };
  return { ...live, status: { ...live.status, conditions: [...others, condition] } };
}

/** Keeps an autoscaler and a disruption budget beside a deployment, as its replicas ask for. */
export async function keepBeside(client: Client, deployment: Stored<Deployment>): Promise<string> {
  const { name, namespace } = deployment.metadata;
  const replicas = deployment.spec?.replicas ?? 1;
  const scalers = client.resource('autoscaling/v2', 'horizontalpodautoscalers', { namespace });
  const { result } = await scalers.createOrUpdate(name, (stored) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { ...stored?.metadata, name },
    spec: {
      maxReplicas: Math.max(replicas, stored?.spec?.maxReplicas ?? 0),
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    },
  }));
  const budgets = client.resource('policy/v1', 'poddisruptionbudgets', { namespace });
  const budget = await budgets.apply(
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { maxUnavailable: '25%', selector: deployment.spec?.selector },
    },
    { fieldManager: 'shop', force: true },
  );
  const allowed = budget.status?.disruptionsAllowed ?? 0;
  const ready = await client
    .resource('apps/v1', 'deployments', { namespace })
    .wait(name, (found) => (found?.status?.readyReplicas ?? 0) >= replicas, { timeoutMs: 60_000 });
  for await (const pod of client.resource('v1', 'pods', { namespace }).items({ limit: 100 })) {
    const waiting = pod.status?.containerStatuses?.find(({ state }) => state?.waiting?.reason);
    if (waiting !== undefined) return `${pod.metadata.name}: ${waiting.state?.waiting?.message}`;
  }
  return `${result}, ${allowed} may go, ${ready?.status?.readyReplicas ?? 0} are ready`;
}

/** Uses that the compiler refuses. */
export async function wrongUsesAreRefused(client: Client, live: Stored<Deployment>): Promise<void> {
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
