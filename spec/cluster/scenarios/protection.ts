import type { Scenario } from './scenario.ts';
import {
  HOLD,
  outcome,
  ownedBy,
  summary,
  type Found,
  type Json,
  type ScenarioWorld,
  type Thing,
} from './scenario-world.ts';

const CLAIMS = 'v1/persistentvolumeclaims';
const VOLUMES = 'v1/persistentvolumes';
const CLASSES = 'storage.k8s.io/v1/volumeattributesclasses';
const PODS = 'v1/pods';
const NAMESPACES = 'v1/namespaces';
/** An object that stays for this time after everything has settled is kept. */
const KEPT_MS = 3000;

/** kube-controller-manager looks for the users of a class in caches that may be older than its deletion. */
const SEEN_AFTER_MS = 1000;

/** Claims, volumes and classes of volume attributes that are deleted while something uses them, or nothing does. */
export const protection: readonly Scenario[] = [
  {
    title: 'a claim that no pod uses goes when it is deleted',
    run: async (world) => {
      const made = await claim(world, 'data');
      const deleted = await of(world, CLAIMS).delete('data');
      await untilGone(world, 'data', CLAIMS);
      return [summary(made), summary(deleted as Found)];
    },
  },
  {
    title: 'a claim stays while a pod with a node uses it',
    run: async (world) => {
      await claim(world, 'data');
      await pod(world, 'web', { ...using('data'), nodeName: 'none' });
      await of(world, CLAIMS).delete('data');
      const kept = await stays(world, 'data');
      await of(world, PODS).delete('web', { gracePeriodSeconds: 0 });
      await untilGone(world, 'data', CLAIMS);
      return kept;
    },
  },
  {
    title: 'a claim stays while a pod that has ended uses it',
    run: async (world) => {
      await claim(world, 'data');
      await pod(world, 'web', { ...using('data'), nodeName: 'none' });
      const status = { phase: 'Succeeded' };
      await of(world, PODS).patch('web', { status }, { type: 'merge', subresource: 'status' });
      await of(world, CLAIMS).delete('data');
      const kept = await stays(world, 'data');
      await of(world, PODS).delete('web', { gracePeriodSeconds: 0 });
      await untilGone(world, 'data', CLAIMS);
      return kept;
    },
  },
  {
    title: 'a claim stays while a pod that uses it waits for its finalizers',
    run: async (world) => {
      await claim(world, 'data');
      await pod(world, 'web', { ...using('data'), nodeName: 'none' }, { finalizers: [HOLD] });
      await of(world, PODS).delete('web', { gracePeriodSeconds: 0 });
      await of(world, CLAIMS).delete('data');
      const kept = await stays(world, 'data');
      await world.release('web', PODS);
      await untilGone(world, 'data', CLAIMS);
      return kept;
    },
  },
  {
    title: 'a claim goes although a pod without a node names it',
    run: async (world) => {
      await claim(world, 'data');
      await pod(world, 'web', { ...using('data'), schedulerName: 'none' });
      await of(world, CLAIMS).delete('data');
      await untilGone(world, 'data', CLAIMS);
      return 'gone';
    },
  },
  {
    title: 'a claim stays until the last of its pods has gone',
    run: async (world) => {
      await claim(world, 'data');
      for (const name of ['a', 'b']) {
        await pod(world, name, { ...using('data'), nodeName: 'none' });
      }
      await of(world, CLAIMS).delete('data');
      await of(world, PODS).delete('a', { gracePeriodSeconds: 0 });
      const kept = await stays(world, 'data');
      await of(world, PODS).delete('b', { gracePeriodSeconds: 0 });
      await untilGone(world, 'data', CLAIMS);
      return kept;
    },
  },
  {
    title: 'the claim of an ephemeral volume stays until its pod is shut down',
    run: async (world) => {
      const metadata = { finalizers: [HOLD] };
      const owner = await pod(world, 'web', { ...ephemeral(), nodeName: 'none' }, metadata);
      await ownClaim(world, 'web-scratch', owner);
      await of(world, CLAIMS).delete('web-scratch');
      await world.sleep(KEPT_MS);
      const { finalizers, goes } = summary(await of(world, CLAIMS).get('web-scratch'));
      // Its finalizer keeps the pod, and it uses the claim no more.
      await of(world, PODS).delete('web', { gracePeriodSeconds: 0 });
      await untilGone(world, 'web-scratch', CLAIMS);
      const left = summary(await of(world, PODS).get('web'));
      await world.release('web', PODS);
      return { kept: { finalizers, goes }, left };
    },
  },
  {
    title: 'a claim that was not made for an ephemeral volume is not used by it',
    run: async (world) => {
      await claim(world, 'web-scratch');
      await pod(world, 'web', { ...ephemeral(), nodeName: 'none' });
      await of(world, CLAIMS).delete('web-scratch');
      // A new one may have been made for the pod since.
      const gone = async (): Promise<boolean> => {
        const found = await outcome(of(world, CLAIMS).get('web-scratch'));
        return !JSON.stringify(found).includes('deletionTimestamp');
      };
      await world.until('the claim is gone', gone);
      return 'gone';
    },
  },
  {
    title: 'a claim with finalizers of its own loses only that of its protection',
    run: async (world) => {
      await claim(world, 'data', { finalizers: [HOLD] });
      await of(world, CLAIMS).delete('data');
      const held = await untilIs(
        world,
        'data',
        (found) => finalizersOf(found).length === 1,
        CLAIMS,
      );
      await world.release('data', CLAIMS);
      await untilGone(world, 'data', CLAIMS);
      return shown(held);
    },
  },
  {
    title: 'a claim, a volume and a class that lost the finalizer get it again',
    run: async (world) => {
      const places = await oneOfEach(world);
      const answers: unknown[] = [];
      for (const [place, name] of places) {
        await of(world, place).patch(name, { metadata: { finalizers: null } }, { type: 'merge' });
        answers.push(
          shown(await untilIs(world, name, (found) => finalizersOf(found).length === 1, place)),
        );
        await of(world, place).delete(name);
        await untilGone(world, name, place);
      }
      return answers;
    },
  },
  {
    title: 'a claim that a client deletes without the finalizer goes at once',
    run: async (world) => {
      await claim(world, 'data');
      await pod(world, 'web', { ...using('data'), nodeName: 'none' });
      await of(world, CLAIMS).delete('data');
      await stays(world, 'data');
      await of(world, CLAIMS).patch('data', { metadata: { finalizers: null } }, { type: 'merge' });
      await untilGone(world, 'data', CLAIMS);
      return 'gone';
    },
  },
  {
    title: 'a namespace goes with the claims in it, and those that pods use',
    run: async (world) => {
      await claim(world, 'data');
      await claim(world, 'other');
      await pod(world, 'web', { ...using('data'), schedulerName: 'none' });
      const all = world.global(NAMESPACES);
      await all.delete(world.namespace);
      await world.until('the namespace is gone', async () => {
        const found = await outcome(all.get(world.namespace));
        return (found as { readonly reason?: string }).reason === 'NotFound';
      });
      return 'gone';
    },
  },
  {
    title: 'a volume that is not bound goes when it is deleted',
    run: async (world) => {
      const name = `volume-${world.namespace}`;
      const made = await volume(world, name);
      const deleted = await of(world, VOLUMES).delete(name);
      await untilGone(world, name, VOLUMES);
      return [summary(made).finalizers, summary(deleted as Found).goes];
    },
  },
  {
    title: 'a volume stays while it is bound',
    run: async (world) => {
      const name = `volume-${world.namespace}`;
      const bound = await claim(world, 'data', {}, { volumeName: name });
      const { uid } = bound.metadata;
      const claimRef = { kind: 'PersistentVolumeClaim', name: 'data', uid };
      await volume(world, name, { claimRef: { ...claimRef, namespace: world.namespace } });
      await phase(world, VOLUMES, name, 'Bound');
      await of(world, VOLUMES).delete(name);
      await world.sleep(KEPT_MS);
      const { finalizers, goes } = summary(await of(world, VOLUMES).get(name));
      await of(world, CLAIMS).delete('data');
      await untilGone(world, 'data', CLAIMS);
      await phase(world, VOLUMES, name, 'Released');
      await untilGone(world, name, VOLUMES);
      return { finalizers, goes };
    },
  },
  {
    title: 'a class of volume attributes that nothing names goes when it is deleted',
    run: async (world) => {
      const name = `class-${world.namespace}`;
      const made = await attributesClass(world, name);
      await of(world, CLASSES).delete(name);
      await untilGone(world, name, CLASSES);
      return summary(made).finalizers;
    },
  },
  {
    title: 'a class of volume attributes stays while a claim or a volume names it',
    run: async (world) => {
      const name = `class-${world.namespace}`;
      await attributesClass(world, name);
      const volumeAttributesClassName = name;
      const user = `volume-${world.namespace}`;
      await claim(world, 'data', {}, { volumeAttributesClassName });
      await volume(world, user, { volumeAttributesClassName });
      await world.sleep(SEEN_AFTER_MS);
      await of(world, CLASSES).delete(name);
      await world.sleep(KEPT_MS);
      await of(world, CLAIMS).delete('data');
      await untilGone(world, 'data', CLAIMS);
      await world.sleep(KEPT_MS);
      const { finalizers, goes } = summary(await of(world, CLASSES).get(name));
      await of(world, VOLUMES).delete(user);
      await untilGone(world, name, CLASSES);
      return { finalizers, goes };
    },
  },
  {
    title: 'a class of volume attributes stays while the status of a claim names it',
    run: async (world) => {
      const name = `class-${world.namespace}`;
      await attributesClass(world, name);
      await claim(world, 'data');
      const write = async (modifyVolumeStatus: Json | null): Promise<void> => {
        const status = { modifyVolumeStatus };
        await of(world, CLAIMS).patch('data', { status }, { type: 'merge', subresource: 'status' });
      };
      await write({ status: 'Pending', targetVolumeAttributesClassName: name });
      await world.sleep(SEEN_AFTER_MS);
      await of(world, CLASSES).delete(name);
      await world.sleep(KEPT_MS);
      const { goes } = summary(await of(world, CLASSES).get(name));
      await write(null);
      await untilGone(world, name, CLASSES);
      return { goes };
    },
  },
];

function of(world: ScenarioWorld, place: string): ReturnType<ScenarioWorld['of']> {
  return [VOLUMES, CLASSES].includes(place) ? world.global(place) : world.of(place);
}

async function untilGone(world: ScenarioWorld, name: string, place: string): Promise<void> {
  await world.until(`${name} is gone`, async () => {
    const found = await outcome(of(world, place).get(name));
    return (found as { readonly reason?: string }).reason === 'NotFound';
  });
}

async function untilIs(
  world: ScenarioWorld,
  name: string,
  condition: (found: Found) => boolean,
  place: string,
): Promise<Found> {
  let found: Found | undefined;
  await world.until(`${name} is as expected`, async () => {
    found = await of(world, place).get(name);
    return condition(found);
  });
  return found as Found;
}

async function claim(
  world: ScenarioWorld,
  name: string,
  metadata: Json = {},
  spec: Json = {},
): Promise<Found> {
  const resources = { requests: { storage: '1Gi' } };
  const given = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources, ...spec };
  return await of(world, CLAIMS).create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: given,
  });
}

/** The claim of an ephemeral volume: a real cluster makes it, the embedded one does not. */
async function ownClaim(world: ScenarioWorld, name: string, owner: Found): Promise<void> {
  const reference = ownedBy(owner, { controller: true });
  const made = (): Promise<boolean> => world.gone(CLAIMS, name).then((gone) => !gone);
  await outcome(claim(world, name, { ownerReferences: [reference] }));
  await world.until('there is a claim', made);
}

async function volume(world: ScenarioWorld, name: string, spec: Json = {}): Promise<Found> {
  const given = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    csi: { driver: 'none.example.com', volumeHandle: name },
    // No claim of the scenarios asks for this class, so none is bound to the volume.
    storageClassName: spec['claimRef'] === undefined ? name : '',
    ...spec,
  };
  const body = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: given };
  return await of(world, VOLUMES).create(body);
}

async function attributesClass(world: ScenarioWorld, name: string): Promise<Found> {
  return await of(world, CLASSES).create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: 'none.example.com',
    parameters: { speed: 'high' },
  });
}

/** On a real cluster, a controller writes it; here the scenario does. */
async function phase(
  world: ScenarioWorld,
  place: string,
  name: string,
  value: string,
): Promise<void> {
  const status = { phase: value };
  await outcome(of(world, place).patch(name, { status }, { type: 'merge', subresource: 'status' }));
}

async function oneOfEach(world: ScenarioWorld): Promise<readonly (readonly [string, string])[]> {
  const name = `one-${world.namespace}`;
  await claim(world, name);
  await volume(world, name);
  await attributesClass(world, name);
  return [
    [CLAIMS, name],
    [VOLUMES, name],
    [CLASSES, name],
  ];
}

function using(claimName: string): Json {
  return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] };
}

function ephemeral(): Json {
  const resources = { requests: { storage: '1Gi' } };
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '', resources };
  return { volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }] };
}

async function pod(
  world: ScenarioWorld,
  name: string,
  spec: Json,
  metadata: Json = {},
): Promise<Found> {
  // A pod needs the account of its namespace.
  await world.untilIs('default', () => true, 'v1/serviceaccounts');
  const containers = [{ name: 'web', image: 'web:1' }];
  const body: Thing = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers, ...spec },
  };
  return await of(world, PODS).create(body);
}

/** The rest of a deleted claim after some time. */
async function stays(world: ScenarioWorld, name: string): Promise<unknown> {
  await world.sleep(KEPT_MS);
  return shown(await of(world, CLAIMS).get(name));
}

function finalizersOf({ metadata }: Thing): readonly string[] {
  return metadata?.finalizers ?? [];
}

/** Its finalizers, whether it goes, and what the cluster has written of its metadata. */
function shown(found: Found): Json {
  const { managedFields: fields = [] } = found.metadata as {
    readonly managedFields?: readonly Json[] | undefined;
  };
  const { finalizers, goes } = summary(found);
  const ofCluster = fields.filter(({ manager, subresource }) => {
    return String(manager).startsWith('kube-') && subresource === undefined;
  });
  const wrote = ofCluster.map(({ manager, operation, fieldsV1 }) => {
    return { manager, operation, fieldsV1 };
  });
  return { finalizers, goes, wrote };
}
