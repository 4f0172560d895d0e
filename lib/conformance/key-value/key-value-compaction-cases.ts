import assert from 'node:assert/strict';
import { refusal, type KeyValueCase, type KeyValueUnderTest } from './key-value-under-test.ts';

/** Five revisions: `a` at 1, 3 and 5, `b` put at 2 and deleted at 4. */
async function writeSome(under: KeyValueUnderTest): Promise<void> {
  await under.put('a', '1');
  await under.put('b', '2');
  await under.put('a', '3');
  await under.delete('b');
  await under.put('a', '5');
}

export const keyValueCompactionCases: readonly KeyValueCase[] = [
  {
    title: 'still reads at the compacted revision and after it, and not before it',
    check: async (under) => {
      await writeSome(under);
      await under.store.compact(under.at(3));
      assert.deepEqual(await under.list('', 3), ['a=3@3', 'b=2@2']);
      assert.deepEqual(await under.list('', 4), ['a=3@3']);
      assert.deepEqual(await under.list(), ['a=5@5']);
      for (const step of [1, 2]) await refusal(under.list('', step), 'COMPACTED');
      await refusal(under.store.range({ key: 'a', revision: under.at(2) }), 'COMPACTED');
    },
  },
  {
    title: 'says which revision was asked for, and which is the oldest kept one',
    check: async (under) => {
      await writeSome(under);
      await under.store.compact(under.at(3));
      const message = await refusal(under.list('', 2), 'COMPACTED');
      assert.match(message, new RegExp(`\\b${under.at(2)}\\b.*\\b${under.at(3)}\\b`));
    },
  },
  {
    title: 'keeps the present when everything before it goes',
    check: async (under) => {
      await writeSome(under);
      await under.store.compact(under.at(5));
      assert.deepEqual(await under.list(), ['a=5@5']);
      const kv = await under.get('a');
      assert.deepEqual([kv?.createRevision, kv?.version], [under.at(1), 3n]);
      assert.equal(await under.put('b', '6'), 6);
      assert.deepEqual(await under.list(), ['a=5@5', 'b=6@6']);
    },
  },
  {
    title: 'forgets a key that was deleted at the compacted revision',
    check: async (under) => {
      await writeSome(under);
      await under.store.compact(under.at(4));
      assert.deepEqual(await under.list('', 4), ['a=3@3']);
      await under.put('b', '6');
      assert.equal((await under.get('b'))?.version, 1n);
    },
  },
  {
    title: 'refuses what is compacted already, and the future',
    check: async (under) => {
      await writeSome(under);
      await under.store.compact(under.at(2));
      await refusal(under.store.compact(under.at(2)), 'COMPACTED');
      await refusal(under.store.compact(under.at(1)), 'COMPACTED');
      const message = await refusal(under.store.compact(under.at(6)), 'FUTURE_REVISION');
      assert.match(message, new RegExp(`\\b${under.at(6)}\\b.*\\b${under.at(5)}\\b`));
      await under.store.compact(under.at(5));
      await refusal(under.store.compact(under.at(5)), 'COMPACTED');
    },
  },
  {
    title: 'changes no revision, and the status has the compacted revision',
    check: async (under) => {
      await writeSome(under);
      const before = await under.status();
      assert.equal(before.revision, 5);
      assert(before.compactedRevision <= 0);
      await under.store.compact(under.at(3));
      assert.deepEqual(await under.status(), { revision: 5, compactedRevision: 3 });
    },
  },
];
