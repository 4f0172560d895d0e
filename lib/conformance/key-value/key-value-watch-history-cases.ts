import assert from 'node:assert/strict';
import { put, type KeyValueCase, type KeyValueUnderTest } from './key-value-under-test.ts';

async function writeValues(under: KeyValueUnderTest, ...values: string[]): Promise<void> {
  for (const value of values) await under.put('a', value);
}

export const keyValueWatchHistoryCases: readonly KeyValueCase[] = [
  {
    title: 'begins with its start revision, that one included, and goes over into the present',
    check: async (under) => {
      await writeValues(under, '1', '2', '3');
      const probe = await under.watch({ startRevision: under.at(2) });
      await probe.expect('put a=2@2', 'put a=3@3');
      await under.put('a', '4');
      await probe.expect('put a=4@4');
      await probe.expectSilence();
    },
  },
  {
    title: 'begins now with a start of 0',
    check: async (under) => {
      await writeValues(under, '1');
      const probe = await under.watch({ startRevision: 0n });
      await writeValues(under, '2');
      await probe.expect('put a=2@2');
    },
  },
  {
    title: 'waits for a start in the future, and drops what comes before',
    check: async (under) => {
      const probe = await under.watch({ startRevision: under.at(3) });
      await writeValues(under, '1', '2');
      await probe.expectSilence();
      await writeValues(under, '3', '4');
      await probe.expect('put a=3@3', 'put a=4@4');
    },
  },
  {
    title: 'begins at the next revision without a gap when that is its start',
    check: async (under) => {
      await writeValues(under, '1');
      const probe = await under.watch({ startRevision: under.at(2) });
      await writeValues(under, '2');
      await probe.expect('put a=2@2');
    },
  },
  {
    title: 'brings the state before each change of the past',
    check: async (under) => {
      await writeValues(under, '1', '2');
      await under.delete('a');
      const probe = await under.watch({ startRevision: under.at(1), previous: true });
      await probe.expect('put a=1@1', 'put a=2@2 after 1@1', 'delete a@3 after 2@2');
    },
  },
  {
    title: 'fails when its start was compacted away, and says where history begins',
    check: async (under) => {
      await writeValues(under, '1', '2', '3', '4');
      await under.store.compact(under.at(3));
      const probe = await under.watch({ startRevision: under.at(2) });
      const message = await probe.failure('COMPACTED');
      assert.match(message, new RegExp(`\\b${under.at(2)}\\b.*\\b${under.at(3)}\\b`));
      await probe.expect('end');
    },
  },
  {
    title: 'may begin at the compacted revision, where the state before is gone',
    check: async (under) => {
      await writeValues(under, '1', '2', '3', '4');
      await under.store.compact(under.at(3));
      const probe = await under.watch({ startRevision: under.at(3), previous: true });
      await probe.expect('put a=3@3', 'put a=4@4 after 3@3');
    },
  },
  {
    title: 'still delivers a deletion at the compacted revision',
    check: async (under) => {
      await writeValues(under, '1');
      await under.delete('a');
      await under.put('b', '3');
      await under.store.compact(under.at(2));
      const probe = await under.watch({ startRevision: under.at(2), previous: true });
      await probe.expect('delete a@2', 'put b=3@3');
    },
  },
  {
    title: 'continues after a compaction once it has caught up',
    check: async (under) => {
      const probe = await under.watch();
      await writeValues(under, '1', '2', '3');
      await probe.expect('put a=1@1', 'put a=2@2', 'put a=3@3');
      await under.store.compact(under.at(3));
      await writeValues(under, '4');
      await probe.expect('put a=4@4');
    },
  },
  {
    title: 'catches up with thousands of revisions while they go on, each once and in order',
    check: async (under) => {
      const writeGroups = async (count: number): Promise<void> => {
        for (let group = 0; group < count; group += 50) {
          await Promise.all(Array.from({ length: 50 }, () => under.put('a')));
        }
      };
      await writeGroups(1500);
      const probe = await under.watch({ startRevision: under.at(1) });
      const writing = writeGroups(500);
      const lines = await probe.take(2000);
      await writing;
      assert.deepEqual(
        lines,
        Array.from({ length: 2000 }, (_, index) => `put a=@${index + 1}`),
      );
    },
  },
  {
    title: 'keeps the events of each past revision together',
    check: async (under) => {
      for (let group = 0; group < 20; group += 1) {
        await under.txn(Array.from({ length: 100 }, (_, index) => put(`k${index}`)));
      }
      const probe = await under.watch({ startRevision: under.at(1) });
      let events = 0;
      while (events < 2000) {
        const batch = await probe.batch();
        assert.equal(batch.length % 100, 0, 'a revision is split over two batches');
        events += batch.length;
      }
    },
  },
];
