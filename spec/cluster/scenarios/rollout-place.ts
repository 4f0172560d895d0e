import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type {
  Deployment,
  DeploymentSpec,
  Pod,
  PodSpec,
  ReplicaSet,
  ReplicationController,
} from '../../../lib/types/index.ts';
import type { Json, ScenarioWorld } from './scenario-world.ts';

const LOOK_EVERY_MS = 1000;
const QUIET_MS = 4000;
const GIVE_UP_MS = 60_000;
const APP = 'web';
/** From the eleventh event on that differs by a name only. */
const COMBINED = '(combined from similar events): ';

/** The Deployment `web` of a scenario, its ReplicaSets by the images of their templates, and a kubelet that makes pods ready. */
export class RolloutPlace {
  readonly world: ScenarioWorld;
  readonly deployments: ResourceClient<Deployment>;
  readonly sets: ResourceClient<ReplicaSet>;
  readonly controllers: ResourceClient<ReplicationController>;
  readonly pods: ResourceClient<Pod>;
  /** Whether pods become ready; those whose image begins with `bad` never do. */
  kubeletRuns = true;

  constructor(world: ScenarioWorld) {
    const { client, namespace } = world;
    this.world = world;
    this.deployments = client.resource('apps/v1', 'deployments', { namespace });
    this.sets = client.resource('apps/v1', 'replicasets', { namespace });
    this.controllers = client.resource('v1', 'replicationcontrollers', { namespace });
    this.pods = client.resource('v1', 'pods', { namespace });
  }

  async create(
    image: string,
    spec: Partial<DeploymentSpec> = {},
    meta: ObjectMeta = {},
  ): Promise<void> {
    const { labels, annotations } = meta;
    await this.deployments.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: APP, labels, annotations },
      spec: { replicas: 3, ...templateOf(image), ...spec },
    });
  }

  async createSet(
    name: string,
    image: string,
    spec: Partial<ReplicaSet['spec']> = {},
  ): Promise<void> {
    await this.sets.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, labels: { app: APP } },
      spec: { replicas: 3, ...templateOf(image), ...spec },
    });
  }

  async createController(
    image: string,
    spec: Partial<ReplicationController['spec']> = {},
  ): Promise<void> {
    const { template } = templateOf(image);
    await this.controllers.create({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: APP },
      spec: { replicas: 2, template, ...spec },
    });
  }

  async createPod(
    name: string,
    labels: Record<string, string>,
    { spec, ...metadata }: NonNullable<Pod['metadata']> & { readonly spec?: Partial<PodSpec> } = {},
  ): Promise<void> {
    await this.pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels, ...metadata },
      spec: { containers: [{ name: 'c', image: 'a' }], ...spec },
    });
  }

  async patch(spec: object): Promise<void> {
    await this.deployments.patch(APP, { spec }, { type: 'strategic' });
  }

  async image(image: string): Promise<void> {
    const { template } = templateOf(image);
    await this.patch({ template });
  }

  async set(image: string): Promise<Stored<ReplicaSet>> {
    const { items } = await this.sets.list();
    const found = items.find((one) => imageOf(one.spec.template?.spec) === image);
    if (found === undefined) throw new Error(`there is no ReplicaSet of ${image}`);
    return found;
  }

  async podNames(): Promise<readonly string[]> {
    return (await this.pods.list()).items.map(({ metadata }) => metadata.name);
  }

  async ready(name: string, isReady: boolean): Promise<void> {
    const lastTransitionTime = `${new Date(this.world.wallMs).toISOString().slice(0, 19)}Z`;
    const status = isReady ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    await this.pods.patch(
      name,
      { status: { phase: 'Running', conditions } },
      { type: 'merge', subresource: 'status' },
    );
  }

  /** The state once nothing changes any more. */
  async seen(): Promise<Json> {
    await this.#untilQuiet();
    const sets = (await this.sets.list()).items;
    const seen = {
      deployment: (await this.deployments.list()).items.map(({ metadata, spec, status }) => ({
        annotations: metadata.annotations,
        replicas: spec.replicas,
        status: withoutTimes(status),
      })),
      sets: sets
        .map(({ metadata, spec, status }) => ({
          image: imageOf(spec.template?.spec),
          name: metadata.name,
          annotations: metadata.annotations,
          labels: metadata.labels,
          selector: spec.selector,
          owner: metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
          replicas: spec.replicas,
          minReadySeconds: spec.minReadySeconds,
          status: { ...withoutTimes(status), observedGeneration: undefined },
          isSeen: status?.observedGeneration === metadata.generation,
        }))
        .toSorted((one, other) => (one.image < other.image ? -1 : 1)),
      controllers: (await this.controllers.list()).items.map(({ status }) => withoutTimes(status)),
      pods: await this.#podCounts(),
    };
    return this.#masked(seen, sets);
  }

  /** The messages of the events of a reason, each once. */
  async notes(reason: string): Promise<Json> {
    const { client, namespace } = this.world;
    const { items } = await client.resource('v1', 'events', { namespace }).list();
    const found = items.filter((event) => event.reason === reason);
    const notes = found
      .map(({ message, type, source }) => `${source?.component} ${type}: ${message}`)
      .map((note) => note.replace(COMBINED, ''));
    const masked = this.#masked({ notes }, (await this.sets.list()).items);
    return { [reason]: [...new Set(masked['notes'] as string[])].toSorted() };
  }

  async #podCounts(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const { metadata, spec, status } of (await this.pods.list()).items) {
      const { labels, annotations, finalizers, deletionTimestamp, ownerReferences } = metadata;
      const owner = ownerReferences?.map(({ kind, name }) => `${kind} ${name}`).join();
      const goes = deletionTimestamp === undefined ? '' : 'goes';
      // Pods that go without a node are marked as failed some time within 20 s.
      const phase = goes === '' ? status?.phase : '';
      const parts = [phase, imageOf(spec), owner, goes, labels, annotations, finalizers];
      const text = parts.map((part) => (typeof part === 'object' ? sorted(part) : part)).join(' ');
      counts[text] = (counts[text] ?? 0) + 1;
    }
    return Object.fromEntries(
      Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  /** Names and hashes of ReplicaSets as their images, and names of their pods without what is random. */
  #masked(seen: object, sets: readonly Stored<ReplicaSet>[]): Json {
    let text = JSON.stringify(seen);
    for (const { metadata, spec } of sets) {
      const image = imageOf(spec.template?.spec);
      const hash = metadata.labels?.['pod-template-hash'];
      if (hash === undefined) continue;
      text = text.replaceAll(
        new RegExp(`${metadata.name}-[a-z0-9]{5}\\b`, 'g'),
        `{pod of ${image}}`,
      );
      text = text
        .replaceAll(metadata.name, `{set of ${image}}`)
        .replaceAll(hash, `{hash of ${image}}`);
    }
    const hashed = /web-[bcdfghjklmnpqrstvwxz2456789]{6,10}/g;
    return JSON.parse(
      text.replaceAll(hashed, '{set}').replaceAll(/\b(?:web|front)-[a-z0-9]{5}\b/g, '{pod}'),
    ) as Json;
  }

  async #untilQuiet(): Promise<void> {
    let last = '';
    let sinceMs = this.world.nowMs;
    const giveUpAtMs = sinceMs + GIVE_UP_MS;
    while (this.world.nowMs - sinceMs < QUIET_MS) {
      if (this.world.nowMs > giveUpAtMs) throw new Error('never: the rollout rests');
      const now = await this.#versions();
      if (now !== last) [last, sinceMs] = [now, this.world.nowMs];
      await this.world.sleep(LOOK_EVERY_MS);
    }
  }

  async #versions(): Promise<string> {
    const pods = (await this.pods.list()).items;
    for (const { metadata, spec, status } of pods) {
      const isNew = status?.phase === 'Pending' && metadata.deletionTimestamp === undefined;
      if (!isNew || !this.kubeletRuns || imageOf(spec).startsWith('bad')) continue;
      await this.ready(metadata.name, true).catch(() => {});
    }
    const others = await Promise.all([
      this.deployments.list(),
      this.sets.list(),
      this.controllers.list(),
    ]);
    const versions = others.flatMap(({ items }): string[] =>
      items.map(({ metadata }) => metadata.resourceVersion),
    );
    return [...pods.map(({ metadata }) => metadata.resourceVersion), ...versions].join();
  }
}

function templateOf(image: string): Pick<DeploymentSpec, 'selector' | 'template'> {
  const labels = { app: APP };
  const spec = { containers: [{ name: 'c', image }] };
  return { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
}

function imageOf(spec: Pod['spec']): string {
  return spec?.containers[0]?.image ?? '';
}

function sorted(value: object): string {
  return JSON.stringify(value, Object.keys(value).toSorted());
}

interface WithConditions {
  readonly conditions?: readonly { readonly type?: string | undefined }[] | undefined;
}

function withoutTimes(status: WithConditions = {}): Json {
  const conditions = (status.conditions ?? []).map((condition) => {
    const entries = Object.entries(condition).filter(([name]) => !name.endsWith('Time'));
    return Object.fromEntries(entries);
  });
  const typed = conditions.toSorted((one, other) =>
    String(one['type']) < String(other['type']) ? -1 : 1,
  );
  return { ...status, conditions: typed };
}
