import assert from 'node:assert/strict';
import { conformanceKey, conformancePod } from './conformance-pod.ts';
import {
  INVALID_VERSION,
  rejection,
  type ConformanceCase,
  type StorageUnderTest,
} from './storage-under-test.ts';

/** The stored value, as the transformer reads it. */
async function storedText({ harness }: StorageUnderTest, path: string): Promise<string> {
  const { items } = await harness.store.range({ key: conformanceKey(path) });
  const [kv] = items;
  if (kv === undefined) return '';
  return Buffer.from(harness.transformer.fromStorage(kv.value, kv).data).toString();
}

/** Far above any revision of a case. */
const FAR = '4611686018427387904';

export const createGetDeleteCases: readonly ConformanceCase[] = [
  {
    title: 'gives a new object the resource version of its write, and does not store it',
    upstream: ['RunTestCreate'],
    check: async (under) => {
      const pod = {
        ...conformancePod('a/x', { nodeName: 'n1' }),
        selfLink: 'kept outside metadata',
      };
      const metadata = { ...pod.metadata, selfLink: '/api/v1/pods/x' };
      const created = await under.storage.create(conformanceKey('a/x'), { ...pod, metadata });
      assert.equal(created.resourceVersion, await under.storage.getCurrentResourceVersion());
      assert.equal(created.object.metadata?.resourceVersion, created.resourceVersion);
      assert.equal(created.object.spec?.nodeName, 'n1');
      const text = await storedText(under, 'a/x');
      assert.match(text, /"nodeName":"n1"/);
      assert.doesNotMatch(text, /resourceVersion|\/api\/v1\/pods/);
    },
  },
  {
    title: 'refuses to create an object that carries a resource version',
    upstream: ['RunTestCreate'],
    check: async (under) => {
      await rejection(under.create('a/x', { resourceVersion: '5' }), 'RESOURCE_VERSION_SET');
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'refuses to create an object under a key that is taken',
    upstream: ['RunTestCreateWithKeyExist'],
    check: async (under) => {
      const first = await under.create('a/x', { uid: 'first' });
      await rejection(under.create('a/x', { uid: 'second' }), 'KEY_EXISTS');
      assert.equal((await under.find('a/x'))?.resourceVersion, first.resourceVersion);
    },
  },
  {
    title: 'removes an object when its time is over',
    upstream: ['RunTestCreateWithTTL'],
    check: async (under) => {
      const key = conformanceKey('a/x');
      const created = await under.storage.create(key, conformancePod('a/x'), { ttlSeconds: 1 });
      await under.create('a/stays');
      const { resourceVersion } = created;
      const watch = await under.storage.watch(key, { resourceVersion, recursive: false });
      for await (const [event] of watch) {
        assert.equal(event?.type, 'DELETED');
        break;
      }
      assert.equal(await under.find('a/x'), undefined);
      assert.notEqual(await under.find('a/stays'), undefined);
    },
  },
  {
    title: 'gives the bytes of an object, resource version included',
    upstream: [],
    check: async (under) => {
      const created = await under.create('a/x', { nodeName: 'n1', labels: { emoji: '🦔' } });
      const found = await under.find('a/x');
      for (const stored of [created, found]) {
        assert(stored !== undefined);
        const decoded: unknown = JSON.parse(Buffer.from(stored.bytes).toString());
        assert.deepEqual(decoded, JSON.parse(JSON.stringify(stored.object)));
        assert.deepEqual(decoded, JSON.parse(JSON.stringify(stored.copy())));
        assert.equal(stored.key, conformanceKey('a/x'));
        assert.notEqual(stored.copy(), stored.copy(), 'copies are private');
      }
    },
  },
  {
    title: 'gets an object that is not older than a resource version',
    upstream: ['RunTestGet'],
    check: async (under) => {
      const created = await under.create('a/x');
      const moved = await under.move('a/x', 'n1');
      const last = await under.writeElsewhere();
      for (const resourceVersion of [
        undefined,
        '',
        created.resourceVersion,
        moved.resourceVersion,
        last,
      ]) {
        const found = await under.storage.get(conformanceKey('a/x'), { resourceVersion });
        assert.equal(found?.resourceVersion, moved.resourceVersion, `asked for ${resourceVersion}`);
      }
      const any = await under.storage.get(conformanceKey('a/x'), {
        resourceVersion: '0',
        ignoreNotFound: true,
      });
      assert(
        [undefined, created.resourceVersion, moved.resourceVersion].includes(any?.resourceVersion),
      );
    },
  },
  {
    title: 'refuses a get at a resource version that is not reached or not valid',
    upstream: ['RunTestGet'],
    check: async (under) => {
      await under.create('a/x');
      const key = conformanceKey('a/x');
      await rejection(under.storage.get(key, { resourceVersion: FAR }), 'GATEWAY_TIMEOUT');
      for (const resourceVersion of ['-1', 'abc', '01', '1.5', '18446744073709551616']) {
        await rejection(under.storage.get(key, { resourceVersion }), ...INVALID_VERSION);
      }
    },
  },
  {
    title: 'reports a missing object, or returns undefined with ignoreNotFound',
    upstream: ['RunTestGet'],
    check: async (under) => {
      const key = conformanceKey('a/x');
      await rejection(under.storage.get(key), 'KEY_NOT_FOUND');
      assert.equal(await under.storage.get(key, { ignoreNotFound: true }), undefined);
    },
  },
  {
    title: 'returns a deleted object as it was, with the resource version of the deletion',
    upstream: ['RunTestUnconditionalDelete'],
    check: async (under) => {
      const created = await under.create('a/x', { uid: 'u' });
      const deleted = await under.delete('a/x');
      assert.equal(deleted.resourceVersion, await under.storage.getCurrentResourceVersion());
      assert.notEqual(deleted.resourceVersion, created.resourceVersion);
      assert.deepEqual(
        { ...deleted.object.metadata, resourceVersion: '' },
        { ...created.object.metadata, resourceVersion: '' },
      );
      assert.equal(await under.find('a/x'), undefined);
      await rejection(under.delete('a/x'), 'KEY_NOT_FOUND');
    },
  },
  {
    title: 'deletes only the object that the preconditions mean',
    upstream: ['RunTestConditionalDelete'],
    check: async (under) => {
      const created = await under.create('a/x', { uid: 'right' });
      const remove = (preconditions: { uid?: string; resourceVersion?: string }) =>
        under.storage.delete(conformanceKey('a/x'), { preconditions });
      await rejection(remove({ uid: 'wrong' }), 'INVALID_OBJECT');
      await rejection(remove({ uid: 'right', resourceVersion: '1' }), 'INVALID_OBJECT');
      assert.notEqual(await under.find('a/x'), undefined);
      await remove({ uid: 'right', resourceVersion: created.resourceVersion });
      assert.equal(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'asks again before it deletes an object that changed meanwhile',
    upstream: ['RunTestDeleteWithConflict'],
    check: async (under) => {
      await under.create('a/x');
      let asked = 0;
      const deleted = await under.storage.delete(conformanceKey('a/x'), {
        validate: async () => {
          asked += 1;
          if (asked === 1) await under.move('a/x', 'n2');
        },
      });
      assert.equal(asked, 2);
      assert.equal(deleted.object.spec?.nodeName, 'n2');
    },
  },
  {
    title: 'refuses keys that leave its prefix, in every call',
    upstream: ['RunTestKeySchema'],
    check: async (under) => {
      const { storage } = under;
      const pod = conformancePod('a/x');
      const outside = [
        '',
        '/',
        '.',
        '..',
        'pods',
        '/registry',
        '/registry/podsecrets/a/x',
        '/registry/pods.example.io',
        '/registry/pods/../secrets/a',
        '/registry/pods/./x',
        '/other',
      ];
      for (const key of outside) {
        const calls: readonly (() => Promise<unknown>)[] = [
          () => storage.create(key, pod),
          () => storage.get(key),
          () => storage.delete(key),
          () => storage.guaranteedUpdate(key, () => ({ object: pod }), { ignoreNotFound: true }),
          () => storage.getList(key),
          () => storage.watch(key),
        ];
        for (const call of calls) await rejection(call(), 'INVALID_KEY');
      }
      // A recursive call takes the prefix without its slash; other calls take it as a key outside the prefix.
      const bare = '/registry/pods';
      await rejection(storage.get(bare), 'INVALID_KEY');
      await rejection(storage.getList(bare, { recursive: false }), 'INVALID_KEY');
      await rejection(storage.watch(bare, { recursive: false }), 'INVALID_KEY');
      for (const key of [bare, '/registry/pods/', '/registry/pods/a', '/registry/pods/a/x']) {
        await storage.getList(key);
        (await storage.watch(key)).destroy();
      }
    },
  },
];
