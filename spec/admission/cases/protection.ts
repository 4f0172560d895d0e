import { outcome, ruleFor, things, type AdmissionCase, type Thing } from '../admission-case.ts';
import { patching, type Json } from '../webhook-process.ts';

const CLAIMS = 'persistentvolumeclaims';
const FORCED = { metadata: { finalizers: null } };

function claim(name: string, metadata: Json = {}): Thing {
  const resources = { requests: { storage: '1Gi' } };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources },
  };
}

function volume(name: string): Thing {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'none.example.com', volumeHandle: 'a' },
  };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

function attributesClass(apiVersion: string, name: string): Thing {
  const parameters = { speed: 'high' };
  const kind = 'VolumeAttributesClass';
  return { apiVersion, kind, metadata: { name }, driverName: 'none.example.com', parameters };
}

/** The finalizers that keep claims, volumes and classes of volume attributes in use. */
export const protection: readonly AdmissionCase[] = [
  {
    title: 'new claims, volumes and classes of volume attributes get a finalizer',
    async run(world) {
      const [class1, beta1] = ['storage.k8s.io/v1', 'storage.k8s.io/v1beta1'];
      const asked = [
        [CLAIMS, claim('a')],
        ['persistentvolumes', volume(world.unique('a'))],
        ['volumeattributesclasses', attributesClass(class1, world.unique('a'))],
        ['volumeattributesclasses', attributesClass(beta1, world.unique('b'))],
      ] as const;
      const answers: unknown[] = [];
      for (const [resource, object] of asked) {
        const { apiVersion, metadata } = object;
        const api =
          resource === CLAIMS
            ? things(world, apiVersion, resource)
            : world.client.resource<Thing>(apiVersion, resource);
        const shown = await outcome(api.create(object, { dryRun: true }));
        const applied = await outcome(api.apply(object, { fieldManager: 'me', dryRun: true }));
        const made = await outcome(api.create(object));
        const deleted = await outcome(api.delete(metadata.name));
        const stays = await outcome(api.get(metadata.name));
        const forced = await outcome(api.patch(metadata.name, FORCED, { type: 'merge' }));
        const gone = await outcome(api.get(metadata.name));
        answers.push({ shown, applied, made, deleted, stays, forced, gone });
      }
      return answers;
    },
  },
  {
    title: 'the finalizer of protection comes after those of the client, and is not doubled',
    async run(world) {
      const api = things(world, 'v1', CLAIMS);
      const lists = [
        ['example.com/one', 'example.com/two'],
        ['kubernetes.io/pvc-protection'],
        ['kubernetes.io/pvc-protection', 'example.com/one'],
        ['kubernetes.io/pv-protection'],
        [],
      ];
      return await Promise.all(
        lists.map((finalizers) =>
          outcome(api.create(claim('a', { finalizers }), { dryRun: true })),
        ),
      );
    },
  },
  {
    title: 'webhooks see the finalizer of protection, and one that removes it gets it back',
    async run(world) {
      const rules = [ruleFor([CLAIMS], ['CREATE'])];
      await world.mutating({
        path: 'remove',
        rules,
        answer: () => patching({ op: 'remove', path: '/metadata/finalizers' }),
      });
      await world.validating({ path: 'after', rules });
      const made = await outcome(things(world, 'v1', CLAIMS).create(claim('a')));
      const seen = ['remove', 'after'].map((path) =>
        world.seen(path).map(({ object }) => {
          const { finalizers } = (object as unknown as Thing).metadata;
          return finalizers;
        }),
      );
      return { made, seen };
    },
  },
  {
    title: 'updates give no finalizer of protection back',
    async run(world) {
      const api = things(world, 'v1', CLAIMS);
      await api.create(claim('a'));
      const forced = await outcome(api.patch('a', FORCED, { type: 'merge' }));
      const applied = await outcome(
        api.apply(claim('a', { labels: { a: 'b' } }), { fieldManager: 'me', force: true }),
      );
      const deleted = await outcome(api.delete('a'));
      const gone = await outcome(api.get('a'));
      return { forced, applied, deleted, gone };
    },
  },
  {
    title: 'a claim that server-side apply makes gets a finalizer, which has no owner',
    async run(world) {
      const api = things(world, 'v1', CLAIMS);
      const options = { fieldManager: 'me' };
      const first = await outcome(api.apply(claim('a'), options));
      const own = claim('a', { finalizers: ['example.com/one'] });
      const second = await outcome(api.apply(own, options));
      const third = await outcome(api.apply(claim('a'), options));
      return [first, second, third];
    },
  },
  {
    title: 'deleted claims of a collection stay with their finalizers',
    async run(world) {
      const api = things(world, 'v1', CLAIMS);
      await api.create(claim('a'));
      await api.create(claim('b'));
      await api.deleteCollection();
      const { items } = await api.list();
      for (const { metadata } of items) await api.patch(metadata.name, FORCED, { type: 'merge' });
      return [items, (await api.list()).items];
    },
  },
];
