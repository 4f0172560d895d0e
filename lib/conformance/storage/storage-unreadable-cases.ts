import assert from 'node:assert/strict';
import type { ApiError } from '../../meta/failure/api-error.ts';
import { conformanceKey } from './conformance-pod.ts';
import { rejection, type ConformanceCase, type StorageUnderTest } from './storage-under-test.ts';
import { StorageWatchProbe } from './storage-watch-probe.ts';

const key = conformanceKey('a/x');

/** A list that a cache does not answer while it is being filled. */
const PAGE = { limit: 500 };

/** The ways to make a value unreadable. */
const corruptions: Readonly<Record<string, (under: StorageUnderTest) => Promise<void>>> = {
  'cannot be transformed': async ({ harness }) => {
    harness.transformer.unreadable.add(key);
  },
  'cannot be decoded': async ({ harness }) => {
    const value = harness.transformer.toStorage(Buffer.from('{"metadata":{"name":'), { key });
    await harness.store.txn({ compare: [], success: [{ type: 'put', key, value }] });
  },
};

/** Creates `a/1` to `a/n`, padded so that they sort by number; those for which `isCorrupt` is true are unreadable from the start. */
async function createNumbered(
  under: StorageUnderTest,
  count: number,
  isCorrupt: (number: number) => boolean,
): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, index) => `a/${1001 + index}`);
  for (const [index, path] of paths.entries()) {
    if (isCorrupt(index + 1)) under.harness.transformer.unreadable.add(conformanceKey(path));
    await under.create(path);
  }
  return paths;
}

async function failedPage(under: StorageUnderTest): Promise<ApiError> {
  const list = under.storage.getList(conformanceKey(''), PAGE);
  return (await rejection(list, 'STORAGE_READ_ERROR')) as ApiError;
}

async function probeFromNow(under: StorageUnderTest): Promise<StorageWatchProbe> {
  const resourceVersion = await under.storage.getCurrentResourceVersion();
  const watch = await under.storage.watch(conformanceKey(''), { resourceVersion });
  return new StorageWatchProbe(watch, under.harness.runtime);
}

/** The end of a watch at an unreadable object: a failure in the raw storage; a cache ends the watch, and its client starts over. */
async function expectEnd(
  { harness }: StorageUnderTest,
  watch: StorageWatchProbe,
  code: string,
): Promise<void> {
  if (!harness.cached) assert.equal((await watch.failure()).code, code);
  assert.equal(await watch.next(), undefined, 'nothing follows');
}

/** Objects whose stored values cannot be transformed or decoded. */
export const unreadableCases: readonly ConformanceCase[] = [
  {
    title: 'fails on an object that cannot be read, and keeps it',
    upstream: ['RunTestTransformationFailure'],
    check: async (under) => {
      const { harness, storage } = under;
      await under.create('a/y');
      harness.transformer.unreadable.add(key);
      await under.create('a/x');
      await rejection(storage.get(key), 'CORRUPT_OBJECT');
      await rejection(storage.delete(key), 'CORRUPT_OBJECT');
      await rejection(under.move('a/x', 'n1'), 'CORRUPT_OBJECT');
      await rejection(under.create('a/x'), 'KEY_EXISTS');
      await failedPage(under);
      harness.transformer.unreadable.delete(key);
      await under.whenReady();
      assert.deepEqual(await under.names(''), ['a/x', 'a/y']);
    },
  },
  {
    title: 'names all objects of a list that cannot be read',
    upstream: ['RunTestGetListWithErrorAggregation'],
    check: async (under) => {
      const paths = await createNumbered(under, 7, (number) => number % 2 === 0);
      const { causes, httpStatus } = await failedPage(under);
      assert.equal(httpStatus, 500);
      assert.deepEqual(
        causes.map(({ reason, field }) => [reason, field]),
        [1, 3, 5].map((index) => ['UnexpectedServerResponse', conformanceKey(paths[index] ?? '')]),
      );
    },
  },
  {
    title: 'names a hundred objects that cannot be read, and says that it stopped there',
    upstream: ['RunTestGetListWithErrorAggregation'],
    check: async (under) => {
      await createNumbered(under, 210, (number) => number % 2 === 0);
      const { causes } = await failedPage(under);
      assert.equal(causes.length, 101);
      assert.deepEqual(causes.at(-1), {
        reason: 'FieldValueTooMany',
        message: 'too many errors, the list is truncated',
      });
    },
  },
  {
    title: 'stops a list at a failure that says nothing about the object',
    upstream: ['RunTestGetListWithErrorAggregation'],
    check: async (under) => {
      const { transformer } = under.harness;
      const paths = await createNumbered(under, 7, (number) => number > 4 && number % 2 === 0);
      transformer.unavailable.add(conformanceKey(paths[3] ?? ''));
      await rejection(under.storage.getList(conformanceKey(''), PAGE), 'KEY_SERVICE_FAILED');
      transformer.unreadable.add(conformanceKey(paths[1] ?? ''));
      const { causes } = await failedPage(under);
      assert.deepEqual(
        causes.map(({ field }) => field),
        [conformanceKey(paths[1] ?? ''), undefined],
      );
      assert.match(causes[1]?.message ?? '', /key service/);
    },
  },
  ...Object.entries(corruptions).map(([what, corrupt]) => ({
    title: `deletes an object that ${what}, if that is asked for`,
    upstream: ['RunTestDeleteExpectedTransformOrDecodeError'] as const,
    check: async (under: StorageUnderTest) => {
      await under.create('a/y');
      await under.create('a/x');
      await corrupt(under);
      const deleted = await under.storage.delete(key, { onlyIfUnreadable: true });
      assert.equal(deleted.resourceVersion, await under.storage.getCurrentResourceVersion());
      assert.deepEqual([deleted.key, deleted.metadata.name], [key, undefined]);
      await rejection(under.storage.get(key), 'KEY_NOT_FOUND');
      await rejection(under.storage.delete(key, { onlyIfUnreadable: true }), 'KEY_NOT_FOUND');
      await under.whenReady();
      assert.deepEqual(await under.names(''), ['a/y']);
    },
  })),
  {
    title:
      'keeps an object that can be read from being deleted as unreadable, whatever is suggested',
    upstream: ['RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      for (const suggestion of [{}, { cachedExisting }]) {
        const options = { onlyIfUnreadable: true, ...suggestion };
        await rejection(under.storage.delete(key, options), 'INVALID_OBJECT');
      }
      assert.notEqual(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'keeps an object that cannot be read only because the key service does not answer',
    upstream: [],
    check: async (under) => {
      await under.create('a/x');
      under.harness.transformer.unavailable.add(key);
      const work = under.storage.delete(key, { onlyIfUnreadable: true });
      await rejection(work, 'KEY_SERVICE_FAILED');
      under.harness.transformer.unavailable.delete(key);
      assert.notEqual(await under.find('a/x'), undefined);
    },
  },
  {
    title: 'keeps an object that became readable before it was deleted',
    upstream: ['RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError'],
    check: async (under) => {
      await under.create('a/x');
      under.harness.transformer.unreadable.add(key);
      let asked = 0;
      const work = under.storage.delete(key, {
        onlyIfUnreadable: true,
        validate: async () => {
          asked += 1;
          under.harness.transformer.unreadable.delete(key);
          await under.move('a/x', 'repaired');
        },
      });
      await rejection(work, 'INVALID_OBJECT');
      assert.equal(asked, 1);
      assert.equal((await under.find('a/x'))?.object.spec?.nodeName, 'repaired');
    },
  },
  {
    title: 'ends a watch at an object that cannot be read, after what came before',
    upstream: ['RunTestWatchError', 'RunWatchErrorIsBlockingFurtherEvents'],
    check: async (under) => {
      await under.create('a/x');
      const watch = await probeFromNow(under);
      const paths = Array.from({ length: 20 }, (_, index) => `b/${index + 10}`);
      under.harness.transformer.unreadable.add(conformanceKey('b/17'));
      await under.move('a/x', 'n1');
      for (const path of paths) await under.create(path);
      await watch.expect('MODIFIED a/x@n1', ...paths.slice(0, 7).map((path) => `ADDED ${path}`));
      await expectEnd(under, watch, 'INTERNAL_ERROR');
    },
  },
  {
    title: 'ends a watch when the object of a deletion cannot be read',
    upstream: ['RunTestWatchWithUnsafeDelete'],
    check: async (under) => {
      await under.create('a/x');
      await under.create('a/y');
      const watch = await probeFromNow(under);
      under.harness.transformer.unreadable.add(key);
      // A cache has the earlier object, and may delete it without reading the value.
      if (!under.harness.cached) await rejection(under.delete('a/x'), 'CORRUPT_OBJECT');
      await under.storage.delete(key, { onlyIfUnreadable: true });
      await expectEnd(under, watch, 'STORAGE_READ_ERROR');
      await under.whenReady();
      assert.deepEqual(await under.names(''), ['a/y']);
    },
  },
];
