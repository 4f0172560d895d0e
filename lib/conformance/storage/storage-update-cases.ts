import assert from 'node:assert/strict';
import type { UpdateInput, UpdateOutput } from '../../server/storage/contract/storage-interface.ts';
import { conformanceKey, conformancePod, type ConformancePod } from './conformance-pod.ts';
import { rejection, type ConformanceCase } from './storage-under-test.ts';

type Input = UpdateInput<ConformancePod>;
type Output = UpdateOutput<ConformancePod>;

const key = conformanceKey('a/x');

function setNode(nodeName: string): (input: Input) => Output {
  return ({ existing }) => ({ object: { ...existing, spec: { nodeName } } });
}

/** An update that returns the present object unchanged. */
function keep({ existing }: Input): Output {
  assert(existing !== undefined);
  return { object: existing };
}

export const updateCases: readonly ConformanceCase[] = [
  {
    title: 'does not find a missing object, or creates it with ignoreNotFound',
    upstream: ['RunTestGuaranteedUpdate'],
    check: async (under) => {
      const { storage } = under;
      await rejection(storage.guaranteedUpdate(key, setNode('n')), 'KEY_NOT_FOUND');
      let input: Input | undefined;
      const created = await storage.guaranteedUpdate(
        key,
        (given) => {
          input = given;
          return { object: conformancePod('a/x', { nodeName: 'n' }) };
        },
        { ignoreNotFound: true },
      );
      assert.deepEqual(input, { existing: undefined, stored: undefined });
      assert.equal((await under.find('a/x'))?.resourceVersion, created.resourceVersion);
    },
  },
  {
    title: 'gives the update a private copy with its resource version',
    upstream: ['RunTestGuaranteedUpdate'],
    check: async (under) => {
      const created = await under.create('a/x', { nodeName: 'n1' });
      const updated = await under.storage.guaranteedUpdate(key, ({ existing, stored }) => {
        assert.equal(existing?.metadata?.resourceVersion, created.resourceVersion);
        assert.equal(stored?.resourceVersion, created.resourceVersion);
        assert.notEqual(existing, stored.object);
        (existing as { spec: { nodeName: string } }).spec.nodeName = 'n2';
        assert.equal(stored.object.spec?.nodeName, 'n1');
        return { object: existing };
      });
      assert.equal(updated.object.spec?.nodeName, 'n2');
      assert.notEqual(updated.resourceVersion, created.resourceVersion);
      assert.equal(updated.resourceVersion, await under.storage.getCurrentResourceVersion());
    },
  },
  {
    title: 'writes nothing when nothing changed',
    upstream: ['RunTestGuaranteedUpdate', 'RunTestGuaranteedUpdateChecksStoredData'],
    check: async (under) => {
      const created = await under.create('a/x', { nodeName: 'n1', labels: { b: '1', a: '2' } });
      const elsewhere = await under.writeElsewhere();
      const same = [
        keep,
        ({ existing }: Input): Output => {
          const metadata = { ...existing?.metadata, selfLink: '/a', resourceVersion: '999' };
          return { object: { ...existing, metadata } };
        },
        (): Output => {
          const { spec, metadata, kind, apiVersion } = created.object;
          const { name, namespace } = metadata ?? {};
          // The same content with its fields in another order.
          return {
            object: {
              spec,
              metadata: { labels: { a: '2', b: '1' }, namespace, name },
              kind,
              apiVersion,
            },
          };
        },
      ];
      for (const tryUpdate of same) {
        const { resourceVersion } = await under.storage.guaranteedUpdate(key, tryUpdate);
        assert.equal(resourceVersion, created.resourceVersion);
      }
      assert.equal(await under.storage.getCurrentResourceVersion(), elsewhere);
    },
  },
  {
    title: 'writes an unchanged object when its stored form is stale',
    upstream: ['RunTestGuaranteedUpdate', 'RunTestGuaranteedUpdateChecksStoredData'],
    check: async (under) => {
      const created = await under.create('a/x');
      under.harness.transformer.mark = 'v2';
      const rewritten = await under.storage.guaranteedUpdate(key, keep);
      assert.notEqual(rewritten.resourceVersion, created.resourceVersion);
      const again = await under.storage.guaranteedUpdate(key, keep);
      assert.equal(again.resourceVersion, rewritten.resourceVersion);
      under.harness.transformer.alwaysStale = true;
      const forced = await under.storage.guaranteedUpdate(key, keep);
      assert.notEqual(forced.resourceVersion, rewritten.resourceVersion);
    },
  },
  {
    title: 'writes an unchanged object whose stored bytes are not what it would write',
    upstream: ['RunTestGuaranteedUpdateChecksStoredData'],
    check: async (under) => {
      const { store, transformer } = under.harness;
      const text = `{"kind":"Pod", "metadata":{"namespace":"a", "name":"x"}, "apiVersion":"v1"}`;
      const value = transformer.toStorage(Buffer.from(text), { key });
      await store.txn({ compare: [], success: [{ type: 'put', key, value }] });
      const before = await under.storage.getCurrentResourceVersion();
      const rewritten = await under.storage.guaranteedUpdate(key, keep);
      assert.notEqual(rewritten.resourceVersion, before);
      const again = await under.storage.guaranteedUpdate(key, keep);
      assert.equal(again.resourceVersion, rewritten.resourceVersion);
    },
  },
  {
    title: 'updates only the object that the preconditions mean',
    upstream: ['RunTestGuaranteedUpdate'],
    check: async (under) => {
      const created = await under.create('a/x', { uid: 'right' });
      const update = (preconditions: { uid?: string; resourceVersion?: string }) =>
        under.storage.guaranteedUpdate(key, setNode('n'), { preconditions });
      await rejection(update({ uid: 'wrong' }), 'INVALID_OBJECT');
      await rejection(update({ resourceVersion: '1' }), 'INVALID_OBJECT');
      await update({ uid: 'right', resourceVersion: created.resourceVersion });
      assert.equal((await under.find('a/x'))?.object.spec?.nodeName, 'n');
    },
  },
  {
    title: 'removes an object when the time its update gave it is over',
    upstream: ['RunTestGuaranteedUpdateWithTTL'],
    check: async (under) => {
      const { runtime } = under.harness;
      await under.create('a/x');
      await under.create('a/y');
      const expiring = (input: Input): Output => ({ ...setNode('n')(input), ttlSeconds: 2 });
      await under.storage.guaranteedUpdate(conformanceKey('a/y'), expiring);
      await under.move('a/y', 'later');
      const beganMs = runtime.monotonicMs();
      await under.storage.guaranteedUpdate(key, expiring);
      await under.sleep(1900);
      const found = await under.find('a/x');
      // On a busy machine its time may be over.
      if (runtime.monotonicMs() < beganMs + 2000) assert.notEqual(found, undefined);
      await under.sleep(1200);
      await under.whenGone('a/x');
      assert.notEqual(await under.find('a/y'), undefined, 'a later update took the time limit off');
    },
  },
  {
    title: 'starts over when another client wrote in between',
    upstream: ['RunTestGuaranteedUpdateWithConflict'],
    check: async (under) => {
      await under.create('a/x');
      let tried = 0;
      const updated = await under.storage.guaranteedUpdate(key, async ({ existing }) => {
        tried += 1;
        if (tried === 1) await under.move('a/x', 'theirs');
        const labels = { seen: existing?.spec?.nodeName ?? 'none' };
        return { object: { ...existing, metadata: { ...existing?.metadata, labels } } };
      });
      assert.equal(tried, 2);
      assert.deepEqual(updated.metadata.labels, { seen: 'theirs' });
    },
  },
  {
    title: 'loses no update of many at once',
    upstream: ['RunTestGuaranteedUpdateWithConflict'],
    check: async (under) => {
      await under.create('a/x', { labels: { count: '0' } });
      const increment = ({ existing }: Input): Output => {
        const labels = { count: `${Number(existing?.metadata?.labels?.['count']) + 1}` };
        return { object: { ...existing, metadata: { ...existing?.metadata, labels } } };
      };
      const all = Array.from({ length: 20 }, () => under.storage.guaranteedUpdate(key, increment));
      await Promise.all(all);
      assert.equal((await under.find('a/x'))?.metadata.labels?.['count'], '20');
    },
  },
  {
    title: 'tries again with the live object when the update refuses a stale suggestion',
    upstream: ['RunTestGuaranteedUpdateWithSuggestionAndConflict'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { nodeName: 'old' });
      await under.move('a/x', 'new');
      let tried = 0;
      const updated = await under.storage.guaranteedUpdate(
        key,
        (input) => {
          tried += 1;
          if (input.existing?.spec?.nodeName !== 'new') throw new Error('no');
          return setNode('newest')(input);
        },
        { cachedExisting },
      );
      assert(tried <= 2);
      assert.equal(updated.object.spec?.nodeName, 'newest');
    },
  },
  {
    title: 'passes on what the update throws for the current object',
    upstream: ['RunTestGuaranteedUpdateWithSuggestionAndConflict'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x');
      const refusal = new Error('no');
      for (const options of [{}, { cachedExisting }]) {
        let tried = 0;
        const work = under.storage.guaranteedUpdate(
          key,
          () => {
            tried += 1;
            throw refusal;
          },
          options,
        );
        assert.equal(await work.catch((error: unknown) => error), refusal);
        assert.equal(tried, 1, 'asking again could not help');
      }
    },
  },
  {
    title: 'does not treat an object as unchanged because of a stale suggestion',
    upstream: ['RunTestGuaranteedUpdateWithSuggestionAndConflict'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { nodeName: 'old' });
      await under.move('a/x', 'new');
      const updated = await under.storage.guaranteedUpdate(key, setNode('old'), { cachedExisting });
      assert.equal(updated.object.spec?.nodeName, 'old');
      assert.equal((await under.find('a/x'))?.object.spec?.nodeName, 'old');
      assert.equal(updated.resourceVersion, await under.storage.getCurrentResourceVersion());
    },
  },
  {
    title: 'writes nothing that was made from a stale suggestion',
    upstream: ['RunTestGuaranteedUpdateWithSuggestionAndConflict'],
    check: async (under) => {
      const cachedExisting = await under.create('a/x', { nodeName: 'old' });
      const moved = await under.move('a/x', 'new');
      const kept = await under.storage.guaranteedUpdate(key, keep, { cachedExisting });
      assert.equal(kept.object.spec?.nodeName, 'new');
      assert.equal(kept.resourceVersion, moved.resourceVersion);
    },
  },
  {
    title: 'stops retrying when the caller gives up',
    upstream: [],
    check: async (under) => {
      await under.create('a/x');
      const controller = new AbortController();
      let tried = 0;
      const work = under.storage.guaranteedUpdate(
        key,
        async (input) => {
          tried += 1;
          await under.move('a/x', `theirs-${tried}`);
          if (tried === 3) controller.abort(new Error('enough'));
          return setNode('mine')(input);
        },
        { signal: controller.signal },
      );
      const error: unknown = await work.catch((reason: unknown) => reason);
      assert.equal((error as Error).message, 'enough');
      assert.equal(tried, 3);
    },
  },
];
