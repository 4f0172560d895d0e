import assert from 'node:assert/strict';
import type { ErrorCode } from '../../kernel/failure/errors.ts';
import type { Compare, TxnOperation } from '../../server/mvcc/contract/key-value-store.ts';
import {
  put,
  refusal,
  remove,
  type KeyValueCase,
  type KeyValueUnderTest,
} from './key-value-under-test.ts';

const MOST_OPERATIONS = 128;
const NO_LEASE = 0x7fff_ffff_ffffn;

function many(count: number): TxnOperation[] {
  return Array.from({ length: count }, (_, index) => put(`${index}`));
}

/** Expects that an invalid first branch is refused, and that the store does not change. */
async function refuses(
  under: KeyValueUnderTest,
  operations: readonly TxnOperation[],
  code: ErrorCode,
): Promise<void> {
  const before = await under.status();
  await refusal(under.txn(operations), code);
  assert.deepEqual(await under.status(), before);
}

export const keyValueTxnRefusalCases: readonly KeyValueCase[] = [
  {
    title: 'refuses to write a key twice, and says which',
    check: async (under) => {
      await under.put('b');
      for (const operations of [
        [put('a'), put('a')],
        [put('b'), remove('b')],
        [remove('b'), put('b')],
        [remove('a', 'c'), put('b')],
        [put('b'), remove('a', 'c')],
        [put('b', '1'), put('c'), remove('', 'c')],
      ]) {
        await refuses(under, operations, 'DUPLICATE_KEY');
        await refusal(under.txn([], operations), 'DUPLICATE_KEY');
      }
      assert.match(await refusal(under.txn([put('a'), put('a')]), 'DUPLICATE_KEY'), /"a"/);
    },
  },
  {
    title: 'may write a key in both branches, and beside a range that ends before it',
    check: async (under) => {
      await under.txn([put('b')], [put('b')]);
      await under.txn([put('b'), remove('a', 'b'), remove('b\0', 'c')]);
      assert.equal((await under.status()).revision, 2);
    },
  },
  {
    title: 'accepts 128 operations and comparisons, and no more',
    check: async (under) => {
      const compare = (count: number): Compare[] =>
        Array.from({ length: count }, (_, index) => ({
          key: `${index}`,
          target: 'version',
          operator: '=',
          operand: 0n,
        }));
      const { responses } = await under.txn(
        many(MOST_OPERATIONS),
        many(MOST_OPERATIONS),
        compare(MOST_OPERATIONS),
      );
      assert.equal(responses.length, MOST_OPERATIONS);
      assert.equal((await under.range({ countOnly: true })).count, MOST_OPERATIONS);
      const over = MOST_OPERATIONS + 1;
      for (const work of [
        () => under.txn(many(over)),
        () => under.txn([], many(over)),
        () => under.txn([], [], compare(over)),
      ]) {
        await refusal(work(), 'TOO_MANY_OPERATIONS');
      }
      assert.equal((await under.status()).revision, 1);
    },
  },
  {
    title: 'refuses an empty key, in either branch and in a comparison',
    check: async (under) => {
      const compare: Compare = { key: '', target: 'version', operator: '=', operand: 0n };
      for (const work of [
        () => under.txn([put('a'), put('')]),
        () => under.txn([put('a')], [put('')]),
        () => under.txn([put('a'), remove('')]),
        () => under.txn([put('a'), { type: 'range', key: '' }]),
        () => under.txn([put('a')], [], [compare]),
      ]) {
        await refusal(work(), 'INVALID_KEY');
      }
      assert.equal((await under.status()).revision, 0);
    },
  },
  {
    title: 'writes nothing when a later operation is impossible',
    check: async (under) => {
      await under.put('a');
      await under.store.compact(under.at(1));
      const future = under.at(2);
      await refuses(under, [put('b'), put('c', '', NO_LEASE)], 'LEASE_NOT_FOUND');
      await refuses(
        under,
        [put('b'), { type: 'range', key: 'a', revision: future }],
        'FUTURE_REVISION',
      );
      await refuses(
        under,
        [put('b'), { type: 'range', key: 'a', revision: under.at(0) }],
        'COMPACTED',
      );
      assert.deepEqual(await under.list(), ['a=@1']);
    },
  },
  {
    title: 'accepts impossible operations in the branch that is not taken',
    check: async (under) => {
      const impossible: TxnOperation[] = [
        put('b', '', NO_LEASE),
        { type: 'range', key: 'a', revision: under.at(99) },
      ];
      const never: Compare = { key: 'a', target: 'version', operator: '>', operand: 0n };
      assert.equal((await under.txn([put('a')], impossible)).succeeded, true);
      await under.delete('a');
      assert.equal((await under.txn(impossible, [put('a')], [never])).succeeded, false);
      assert.deepEqual(await under.list(), ['a=@3']);
    },
  },
  {
    title: 'accepts values of a megabyte and a half together, and not much more',
    check: async (under) => {
      const half = new Uint8Array(750_000).fill(7);
      const large = new Uint8Array(1_500_000).fill(7);
      await under.put('a', large);
      assert.equal((await under.get('a'))?.value.byteLength, large.byteLength);
      await under.txn([put('b', half), put('c', half)]);
      await refuses(under, [put('a', new Uint8Array(1_600_000))], 'VALUE_TOO_LARGE');
      await refuses(under, [put('a', half), put('b', half), put('c', half)], 'VALUE_TOO_LARGE');
      await refusal(under.txn([put('a', half)], [put('b', large)]), 'VALUE_TOO_LARGE');
    },
  },
];
