import assert from 'node:assert/strict';
import type {
  Compare,
  CompareValue,
  OperationResponse,
  RangeOperation,
} from '../../server/mvcc/contract/key-value-store.ts';
import {
  LAST,
  put,
  remove,
  textOf,
  type KeyValueCase,
  type KeyValueUnderTest,
} from './key-value-under-test.ts';

const EVERYTHING: RangeOperation = { type: 'range', key: '', rangeEnd: LAST };
const OPERATORS = ['=', '!=', '<', '>'] as const;
const TARGETS = ['modRevision', 'createRevision', 'version', 'lease'] as const;

/** The operators that hold, in order. */
async function holding(
  under: KeyValueUnderTest,
  compareWith: (operator: (typeof OPERATORS)[number]) => Compare | CompareValue,
): Promise<string> {
  let found = '';
  for (const operator of OPERATORS) {
    const { succeeded } = await under.txn([], [], [compareWith(operator)]);
    found += succeeded ? `${operator} ` : '';
  }
  return found.trim();
}

function rangeOf(response: OperationResponse | undefined): readonly string[] {
  assert(response?.type === 'range');
  return response.items.map(({ key, value }) => `${key}=${textOf(value)}`);
}

const writeCases: readonly KeyValueCase[] = [
  {
    title: 'adds one revision for all its writes',
    check: async (under) => {
      const { succeeded, revision, responses } = await under.txn([put('b', '1'), put('a', '2')]);
      assert.deepEqual([succeeded, under.step(revision)], [true, 1]);
      assert.deepEqual(responses, [{ type: 'put' }, { type: 'put' }]);
      assert.deepEqual(await under.list(), ['a=2@1', 'b=1@1']);
      assert.equal(await under.put('c'), 2);
    },
  },
  {
    title: 'counts a put of the same value as a write',
    check: async (under) => {
      await under.put('a', 'x');
      await under.put('a', 'x');
      const kv = await under.get('a');
      assert.deepEqual(
        [kv?.createRevision, kv?.modRevision, kv?.version],
        [under.at(1), under.at(2), 2n],
      );
    },
  },
  {
    title: 'starts the version of a key again after its deletion',
    check: async (under) => {
      await under.put('a');
      await under.put('a');
      await under.delete('a');
      await under.put('a');
      const kv = await under.get('a');
      assert.deepEqual([kv?.createRevision, kv?.version], [under.at(4), 1n]);
    },
  },
  {
    title: 'adds no revision when it writes nothing',
    check: async (under) => {
      await under.put('a');
      const never: Compare = { key: 'a', target: 'version', operator: '=', operand: 7n };
      for (const work of [
        under.txn([]),
        under.txn([EVERYTHING]),
        under.txn([remove('b'), remove('b', 'c')]),
        under.txn([put('a')], [], [never]),
        under.txn([put('a')], [EVERYTHING], [never]),
      ]) {
        assert.equal(under.step((await work).revision), 1);
      }
      assert.equal((await under.status()).revision, 1);
    },
  },
  {
    title: 'deletes a key or a range, and returns what it deleted in order',
    check: async (under) => {
      for (const key of ['b', 'a', 'c', 'd']) await under.put(key, key);
      const { responses, revision } = await under.txn([remove('a', 'c'), remove('d'), remove('x')]);
      assert.equal(under.step(revision), 5);
      const results = responses.map((one) => {
        assert(one.type === 'delete');
        return [one.deleted, one.previous.map((kv) => under.describe(kv))];
      });
      assert.deepEqual(results, [
        [2, ['a=a@2', 'b=b@1']],
        [1, ['d=d@4']],
        [0, []],
      ]);
      assert.deepEqual(await under.list(), ['c=c@3']);
    },
  },
  {
    title: 'deletes a key twice without harm',
    check: async (under) => {
      await under.put('a');
      const { responses } = await under.txn([remove('a'), remove('', LAST)]);
      assert.deepEqual(
        responses.map((one) => one.type === 'delete' && one.deleted),
        [1, 0],
      );
    },
  },
  {
    title: 'carries out its operations in order, and reads what it wrote',
    check: async (under) => {
      await under.put('a', '1');
      const { responses } = await under.txn([
        EVERYTHING,
        put('b', '2'),
        EVERYTHING,
        remove('a'),
        { type: 'range', key: 'a' },
        EVERYTHING,
      ]);
      assert.deepEqual(rangeOf(responses[0]), ['a=1']);
      assert.deepEqual(rangeOf(responses[2]), ['a=1', 'b=2']);
      assert.deepEqual(rangeOf(responses[4]), []);
      assert.deepEqual(rangeOf(responses[5]), ['b=2']);
    },
  },
  {
    title: 'gives a range inside it the revision it has itself',
    check: async (under) => {
      await under.put('a');
      const { responses, revision } = await under.txn([EVERYTHING, put('b'), EVERYTHING]);
      assert.deepEqual(
        responses.map((one) => one.type === 'range' && one.revision),
        [revision, false, revision],
      );
    },
  },
  {
    title: 'reads the past inside it, with limits and counts',
    check: async (under) => {
      for (const key of ['a', 'b', 'c']) await under.put(key);
      const past: RangeOperation = { ...EVERYTHING, revision: under.at(2), limit: 1 };
      const { responses } = await under.txn([put('d'), past]);
      const [, read] = responses;
      assert(read?.type === 'range');
      assert.deepEqual([read.items.length, read.count, read.more], [1, 2, true]);
    },
  },
  {
    title: 'lets exactly one of many concurrent compare-and-swaps succeed',
    check: async (under) => {
      await under.put('a');
      const unchanged: Compare = {
        key: 'a',
        target: 'modRevision',
        operator: '=',
        operand: under.at(1),
      };
      const race = Array.from({ length: 20 }, async (_, index) => {
        const { succeeded } = await under.txn([put('a', `${index}`)], [], [unchanged]);
        return succeeded;
      });
      assert.equal((await Promise.all(race)).filter(Boolean).length, 1);
      assert.equal((await under.status()).revision, 2);
    },
  },
];

const compareCases: readonly KeyValueCase[] = [
  {
    title: 'compares revisions, version and lease of a key by every operator',
    check: async (under) => {
      const { id } = await under.store.leaseGrant(100);
      await under.put('x');
      await under.put('a');
      await under.put('a', '', id);
      const kv = await under.get('a');
      assert(kv !== undefined);
      for (const target of TARGETS) {
        const compareWith =
          (operand: bigint) =>
          (operator: Compare['operator']): Compare => ({ key: 'a', target, operator, operand });
        assert.equal(await holding(under, compareWith(kv[target] - 1n)), '!= >', target);
        assert.equal(await holding(under, compareWith(kv[target])), '=', target);
        assert.equal(await holding(under, compareWith(kv[target] + 1n)), '!= <', target);
      }
      await under.store.leaseRevoke(id);
    },
  },
  {
    title: 'compares a missing or deleted key as one with 0 everywhere',
    check: async (under) => {
      await under.put('a');
      await under.delete('a');
      for (const key of ['a', 'b']) {
        for (const target of TARGETS) {
          const compareWith =
            (operand: bigint) =>
            (operator: Compare['operator']): Compare => ({ key, target, operator, operand });
          assert.equal(await holding(under, compareWith(0n)), '=');
          assert.equal(await holding(under, compareWith(1n)), '!= <');
          assert.equal(await holding(under, compareWith(-1n)), '!= >');
        }
      }
    },
  },
  {
    title: 'compares values byte by byte',
    check: async (under) => {
      await under.put('a', Uint8Array.of(1, 200));
      const compareWith =
        (...operand: number[]) =>
        (operator: Compare['operator']): CompareValue => ({
          key: 'a',
          target: 'value',
          operator,
          operand: Uint8Array.from(operand),
        });
      assert.equal(await holding(under, compareWith(1, 200)), '=');
      for (const larger of [[1, 201], [1, 200, 0], [2]]) {
        assert.equal(await holding(under, compareWith(...larger)), '!= <');
      }
      for (const smaller of [[1, 199], [1], [1, 127, 255], []]) {
        assert.equal(await holding(under, compareWith(...smaller)), '!= >');
      }
    },
  },
  {
    title: 'holds no comparison with the value of a missing key',
    check: async (under) => {
      for (const operand of [new Uint8Array(), Uint8Array.of(1)]) {
        const compareWith = (operator: Compare['operator']): CompareValue => ({
          key: 'a',
          target: 'value',
          operator,
          operand,
        });
        assert.equal(await holding(under, compareWith), '');
      }
    },
  },
  {
    title: 'takes the first branch only if all comparisons hold',
    check: async (under) => {
      await under.put('a');
      const exists: Compare = { key: 'a', target: 'version', operator: '=', operand: 1n };
      const missing: Compare = { key: 'b', target: 'version', operator: '=', operand: 0n };
      const wrong: Compare = { ...exists, operand: 2n };
      const branch = async (...compare: Compare[]): Promise<string> => {
        const { succeeded } = await under.txn([put('c', 'yes')], [put('c', 'no')], compare);
        const { value = new Uint8Array() } = (await under.get('c')) ?? {};
        return `${succeeded} ${textOf(value)}`;
      };
      assert.equal(await branch(), 'true yes');
      assert.equal(await branch(exists, missing), 'true yes');
      assert.equal(await branch(exists, wrong), 'false no');
      assert.equal(await branch(wrong, missing), 'false no');
    },
  },
  {
    title: 'compares with the state before its own writes',
    check: async (under) => {
      await under.put('a');
      const unchanged: Compare = {
        key: 'a',
        target: 'modRevision',
        operator: '=',
        operand: under.at(1),
      };
      const swap = async (): Promise<boolean> =>
        (await under.txn([put('a')], [], [unchanged])).succeeded;
      assert.deepEqual([await swap(), await swap()], [true, false]);
    },
  },
];

export const keyValueTxnCases: readonly KeyValueCase[] = [...writeCases, ...compareCases];
