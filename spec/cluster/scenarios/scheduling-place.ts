import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type {
  Container,
  Node,
  NodeSpec,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
  PodDisruptionBudgetSpec,
  PodSpec,
} from '../../../lib/types/index.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';
import { outcome, type Json, type ScenarioWorld } from './scenario-world.ts';
import type { Scenario } from './scenario.ts';

const HOST = 'kubernetes.io/hostname';
/** Long enough for a scheduler to see what is there. */
const PAUSE_MS = 700;
const LOOK_EVERY_MS = 500;
const QUIET_MS = 3000;
const GIVE_UP_MS = 60_000;
/** The claim that the volume of the scenario is for. */
const CLAIM = 'data';
const AT_ONCE = { gracePeriodSeconds: 0 };

export interface NodeShape {
  readonly labels?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Record<string, string>;
}

export interface PodShape extends Partial<PodSpec> {
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
}

/** Nodes and pods of a scenario, which has the scheduler for itself. */
export class SchedulingPlace {
  readonly world: ScenarioWorld;
  readonly nodes: ResourceClient<Node>;
  readonly pods: ResourceClient<Pod>;
  readonly claims: ResourceClient<PersistentVolumeClaim>;
  /** Objects that stay when the namespace goes. */
  readonly #made: (readonly [place: string, name: string])[] = [];

  constructor(world: ScenarioWorld) {
    const { client, namespace } = world;
    this.world = world;
    this.nodes = client.resource('v1', 'nodes');
    this.pods = client.resource('v1', 'pods', { namespace });
    this.claims = client.resource('v1', 'persistentvolumeclaims', { namespace });
  }

  /** Runs a scenario, and returns what it returns, or what was said about its pods in the end. */
  async run(work: (at: SchedulingPlace) => Promise<unknown>): Promise<unknown> {
    try {
      return (await work(this)) ?? (await this.said());
    } finally {
      const pods = (await this.pods.list()).items;
      for (const { metadata } of pods) await outcome(this.pods.delete(metadata.name, AT_ONCE));
      for (const [place, name] of this.#made) {
        await outcome(this.world.global(place).patch(name, { metadata: { finalizers: null } }));
        await outcome(this.world.global(place).delete(name));
      }
    }
  }

  async node(name: string, { labels, spec, allocatable }: NodeShape = {}): Promise<void> {
    const all = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '10Gi' };
    const nowS = `${new Date(this.world.wallMs).toISOString().slice(0, 19)}Z`;
    const times = { lastHeartbeatTime: nowS, lastTransitionTime: nowS };
    await this.global('v1/nodes', 'Node', name, {
      metadata: { name, labels: { [HOST]: name, ...labels } },
      spec,
      status: {
        allocatable: { ...all, ...allocatable },
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', ...times }],
      },
    });
    // Every new node is tainted until a controller has seen that it is ready.
    await this.world.until(`${name} is ready`, async () => {
      const { taints = [] } = (await this.nodes.get(name)).spec ?? {};
      const isCordoned = taints.some(({ key }) => key === 'node.kubernetes.io/unschedulable');
      const isNew = taints.some(({ key }) => key === 'node.kubernetes.io/not-ready');
      return !isNew && isCordoned === (spec?.unschedulable === true);
    });
    await this.pause();
  }

  async patchNode(name: string, patch: object): Promise<void> {
    await this.nodes.patch(name, patch, { type: 'merge' });
    await this.pause();
  }

  async pod(name: string, { labels, requests, ...spec }: PodShape = {}): Promise<void> {
    const main: Container = { name: 'main', image: 'busybox', resources: { requests } };
    await this.pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: { containers: [main], terminationGracePeriodSeconds: 0, ...spec },
    });
    await this.pause();
  }

  async claim(name: string, spec: PersistentVolumeClaimSpec): Promise<void> {
    await this.claims.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...spec,
      },
    });
    await this.pause();
  }

  /** The name of the volume of this scenario. A volume that was bound goes late. */
  get volumeName(): string {
    return `${this.world.namespace}-volume`;
  }

  async volume(spec: PersistentVolumeSpec = {}, metadata: ObjectMeta = {}): Promise<void> {
    const name = this.volumeName;
    await this.global('v1/persistentvolumes', 'PersistentVolume', name, {
      metadata: { ...metadata, name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x' },
        claimRef: { namespace: this.world.namespace, name: CLAIM },
        ...spec,
      },
    });
    await this.pause();
  }

  /** As the controller that binds claims does. */
  async bind(): Promise<void> {
    const { client } = this.world;
    const [claim, volume] = [CLAIM, this.volumeName];
    const volumes = client.resource('v1', 'persistentvolumes');
    const phase = { status: { phase: 'Bound' } };
    const status = { type: 'merge', subresource: 'status' } as const;
    const { uid } = (await this.claims.get(claim)).metadata;
    await volumes.patch(volume, { spec: { claimRef: { uid } } }, { type: 'merge' });
    await volumes.patch(volume, phase, status);
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await this.claims.patch(claim, { metadata: { annotations } });
    await this.claims.patch(claim, phase, status);
    await this.pause();
  }

  async placed(name: string): Promise<void> {
    await this.world.untilIs(name, ({ spec }) => hasNode(spec), 'v1/pods');
  }

  async lateClass(name: string, provisioner: string, more: Json = {}): Promise<void> {
    await this.global('storage.k8s.io/v1/storageclasses', 'StorageClass', name, {
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...more,
    });
  }

  async priorities(): Promise<void> {
    const place = 'scheduling.k8s.io/v1/priorityclasses';
    const never = { preemptionPolicy: 'Never' };
    await this.global(place, 'PriorityClass', 'high', { value: 1000 });
    await this.global(place, 'PriorityClass', 'middle', { value: 500 });
    await this.global(place, 'PriorityClass', 'patient', { value: 900, ...never });
  }

  async budget(spec: PodDisruptionBudgetSpec, disruptionsAllowed: number): Promise<void> {
    const { client, namespace } = this.world;
    const budgets = client.resource('policy/v1', 'poddisruptionbudgets', { namespace });
    const name = 'budget';
    await budgets.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec,
    });
    const counts = { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 };
    const status = { disruptionsAllowed, observedGeneration: 1, ...counts };
    await budgets.patch(name, { status }, { type: 'merge', subresource: 'status' });
    await this.pause();
  }

  async global(place: string, kind: string, name: string, more: Json): Promise<void> {
    const apiVersion = place.slice(0, place.lastIndexOf('/'));
    this.#made.push([place, name]);
    await this.world.global(place).create({ apiVersion, kind, metadata: { name }, ...more });
  }

  async pause(): Promise<void> {
    await this.world.sleep(PAUSE_MS);
  }

  /** The nodes of the pods by their names. */
  async places(): Promise<Json> {
    await this.said();
    const { items } = await this.pods.list();
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec?.nodeName]));
  }

  /** The words about the pods, once nothing is added. */
  async said(): Promise<Json> {
    let last = '';
    let sinceMs = this.world.nowMs;
    const giveUpAtMs = sinceMs + GIVE_UP_MS;
    for (;;) {
      const words = await this.#words();
      const text = JSON.stringify(words);
      const { nowMs } = this.world;
      if (text !== last) [last, sinceMs] = [text, nowMs];
      if (nowMs - sinceMs > QUIET_MS) return words;
      if (nowMs > giveUpAtMs) throw new Error('never: nothing more is said about the pods');
      await this.world.sleep(LOOK_EVERY_MS);
    }
  }

  async #words(): Promise<Json> {
    const { client, namespace } = this.world;
    const { items } = await this.pods.list();
    const masked = (text: string = ''): string =>
      items.reduce((left, { metadata }) => left.replaceAll(metadata.uid, metadata.name), text);
    const pods = items.map(({ metadata, spec, status }) => {
      const conditions = (status?.conditions ?? []).map(
        ({ type, status: is, reason, message, observedGeneration: generation, lastProbeTime }) =>
          [type, is, reason, masked(message), generation, lastProbeTime].join(' | '),
      );
      const node = `node ${spec?.nodeName ?? '-'}, nominated ${status?.nominatedNodeName ?? '-'}`;
      const end = metadata.deletionTimestamp === undefined ? '' : ', being deleted';
      return [metadata.name, [`${node}${end}`, ...conditions.toSorted()]] as const;
    });
    const events = (
      await client.resource('events.k8s.io/v1', 'events', { namespace }).list()
    ).items.filter(({ regarding }) => regarding?.kind === 'Pod');
    const texts = events.map((event) =>
      [
        event.regarding?.name,
        event.type,
        event.reason,
        event.action,
        masked(event.note),
        event.reportingController,
        event.related?.name,
      ].join(' | '),
    );
    return { pods: Object.fromEntries(pods), events: [...new Set(texts)].toSorted() };
  }
}

function hasNode(spec: unknown): boolean {
  return (spec as PodSpec | undefined)?.nodeName !== undefined;
}

/** A scenario of the scheduler. */
export function scheduler(title: string, run: (at: SchedulingPlace) => Promise<unknown>): Scenario {
  return {
    title: `scheduler: ${title}`,
    alone: true,
    run: (world) => new SchedulingPlace(world).run(run),
  };
}
