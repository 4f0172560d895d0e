import {
  map,
  maps,
  outcome,
  pod,
  things,
  type AdmissionCase,
  type Thing,
  type World,
} from '../admission-case.ts';
import type { Json } from '../webhook-process.ts';
import { until } from '../../support/until.ts';

const STORAGE = 'storage.k8s.io/v1';
const NETWORKING = 'networking.k8s.io/v1';
const SCHEDULING = 'scheduling.k8s.io/v1';
const CLAIMS = 'persistentvolumeclaims';

/** Creates an object without a namespace, and deletes it after the case. */
async function made(world: World, resource: string, object: Thing): Promise<Thing> {
  world.remove(object.apiVersion, resource, object.metadata.name);
  return await world.client.resource<Thing>(object.apiVersion, resource).create(object);
}

async function storageClass(
  world: World,
  name: string,
  more: Json = {},
  annotations: Json = {},
): Promise<void> {
  const metadata = { name: world.unique(name), annotations } as Thing['metadata'];
  const object: Thing = {
    apiVersion: STORAGE,
    kind: 'StorageClass',
    metadata,
    provisioner: 'example.com/none',
    ...more,
  };
  await made(world, 'storageclasses', object);
}

function claim(name: string, spec: Json = {}, annotations: Record<string, string> = {}): Thing {
  const resources = { requests: { storage: '1Gi' } };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources, ...spec },
  };
}

function ingress(name: string, spec: Json = {}, annotations: Record<string, string> = {}): Thing {
  const service = { name: 'web', port: { number: 80 } };
  return {
    apiVersion: NETWORKING,
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: { defaultBackend: { service }, ...spec },
  };
}

/** The fields that a dry run of the creation gives the object. */
async function shown(
  world: World,
  resource: string,
  object: Thing,
  field: string,
): Promise<unknown> {
  const answer = await outcome(
    things(world, object.apiVersion, resource).create(object, { dryRun: true }),
  );
  const { spec, refused } = answer as { spec?: Json; refused?: unknown };
  return refused ?? spec?.[field] ?? 'none';
}

/** Servers follow classes: resolves when an object without a class gets this one. */
async function untilDefault(
  world: World,
  resource: string,
  object: Thing,
  field: string,
  name: string,
): Promise<void> {
  await until(`${name} to be the default`, async () => {
    return (await shown(world, resource, object, field)) === world.unique(name);
  });
}

/** Resolves in a later second of the server's clock. */
async function nextSecond(world: World): Promise<void> {
  const time = async (): Promise<unknown> => {
    const { metadata } = await maps(world).create(map('clock'), { dryRun: true });
    return (metadata as { readonly creationTimestamp?: unknown }).creationTimestamp;
  };
  const before = await time();
  await until('the next second', async () => (await time()) !== before);
}

const DEFAULT_STORAGE = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const DEFAULT_INGRESS = { 'ingressclass.kubernetes.io/is-default-class': 'true' };

/** Default classes, and claims that grow. */
export const classes: readonly AdmissionCase[] = [
  {
    title: 'a claim that names no class gets the default class of storage',
    async run(world) {
      await storageClass(world, 'usual', {}, DEFAULT_STORAGE);
      await untilDefault(world, CLAIMS, claim('a'), 'storageClassName', 'usual');
      const asked = [
        claim('a'),
        claim('b', { storageClassName: '' }),
        claim('c', { storageClassName: 'other' }),
        claim('d', {}, { 'volume.beta.kubernetes.io/storage-class': 'other' }),
      ];
      return await Promise.all(asked.map((one) => shown(world, CLAIMS, one, 'storageClassName')));
    },
  },
  {
    title: 'of several default classes of storage, the newest counts',
    async run(world) {
      await storageClass(world, 'b-first', {}, DEFAULT_STORAGE);
      await untilDefault(world, CLAIMS, claim('a'), 'storageClassName', 'b-first');
      await nextSecond(world);
      const beta = { 'storageclass.beta.kubernetes.io/is-default-class': 'true' };
      await storageClass(world, 'c-second', {}, beta);
      await untilDefault(world, CLAIMS, claim('a'), 'storageClassName', 'c-second');
      return 'the newest';
    },
  },
  {
    title: 'an ingress that names no class gets the default class of ingresses',
    async run(world) {
      const metadata = { name: world.unique('usual'), annotations: DEFAULT_INGRESS };
      const spec = { controller: 'example.com/none' };
      await made(world, 'ingressclasses', {
        apiVersion: NETWORKING,
        kind: 'IngressClass',
        metadata,
        spec,
      });
      await untilDefault(world, 'ingresses', ingress('a'), 'ingressClassName', 'usual');
      const asked = [
        ingress('a'),
        ingress('b', { ingressClassName: 'other' }),
        ingress('c', {}, { 'kubernetes.io/ingress.class': 'other' }),
      ];
      return await Promise.all(
        asked.map((one) => shown(world, 'ingresses', one, 'ingressClassName')),
      );
    },
  },
  {
    title: 'a pod that names no class gets the global default of priorities',
    async run(world) {
      const priority = (name: string, more: Json): Thing => {
        return {
          apiVersion: SCHEDULING,
          kind: 'PriorityClass',
          metadata: { name: world.unique(name) },
          value: 7,
          ...more,
        };
      };
      const api = world.client.resource<Thing>(SCHEDULING, 'priorityclasses');
      await made(
        world,
        'priorityclasses',
        priority('usual', { globalDefault: true, preemptionPolicy: 'Never' }),
      );
      await untilDefault(world, 'pods', pod('a'), 'priorityClassName', 'usual');
      const specs = [
        {},
        { priorityClassName: 'system-node-critical' },
        { priority: 0 },
        { priority: 7 },
      ];
      const answers = await Promise.all(
        specs.map(async (spec) => {
          const answer = await outcome(
            things(world, 'v1', 'pods').create(pod('a', spec), { dryRun: true }),
          );
          const { spec: got = {}, refused } = answer as { spec?: Json; refused?: unknown };
          const { priorityClassName, priority: value, preemptionPolicy } = got;
          return refused ?? { priorityClassName, value, preemptionPolicy };
        }),
      );
      const second = await outcome(api.create(priority('second', { globalDefault: true })));
      await api.delete(world.unique('usual'));
      return { answers, second };
    },
  },
  {
    title: 'a claim grows only when it is bound and its class allows it',
    async run(world) {
      await storageClass(world, 'elastic', { allowVolumeExpansion: true });
      await storageClass(world, 'fixed');
      const api = things(world, 'v1', CLAIMS);
      const grown = async (name: string, storage: string): Promise<unknown> => {
        const spec = { resources: { requests: { storage } } };
        const answer = await outcome(api.patch(name, { spec }));
        const { refused } = answer as { refused?: unknown };
        return refused ?? 'done';
      };
      const answers: unknown[] = [];
      for (const name of ['elastic', 'fixed', 'absent']) {
        await api.create(
          claim(name, { storageClassName: world.unique(name), volumeName: `volume-${name}` }),
        );
        answers.push(await grown(name, '2Gi'));
        const status = { phase: 'Bound', capacity: { storage: '1Gi' } };
        await api.patch(name, { status }, { type: 'merge', subresource: 'status' });
        if (name === 'elastic') {
          await until('the class is seen', async () => (await grown(name, '1100Mi')) === 'done');
        }
        answers.push(await grown(name, '2Gi'), await grown(name, '1024Mi'));
      }
      return answers;
    },
  },
];
