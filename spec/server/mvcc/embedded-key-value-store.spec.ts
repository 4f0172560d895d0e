import { expect } from 'chai';
import type { ErrorCode } from '../../../lib/kernel/failure/errors.ts';
import type { Compare, TxnOperation } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { describeKeyValue, EmbeddedStoreHarness } from './embedded-store-harness.ts';

async function codeOf(work: Promise<unknown>): Promise<ErrorCode | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as { code?: ErrorCode }).code;
  }
}

describe('EmbeddedKeyValueStore', () => {
  let harness: EmbeddedStoreHarness;
  let store: EmbeddedKeyValueStore;
  beforeEach(() => {
    harness = new EmbeddedStoreHarness();
    ({ store } = harness);
  });
  afterEach(async () => {
    await store.close();
  });

  describe('revisions', () => {
    it('starts at 1, so that the first put is 2', async () => {
      expect((await store.status()).revision).to.equal(1n);
      expect(await harness.put('a')).to.equal(2n);
    });

    it('starts at the given revision, and calls earlier ones compacted', async () => {
      await using late = new EmbeddedKeyValueStore({ firstRevision: 1000n });
      expect(await late.status()).to.include({ revision: 1000n, compactedRevision: 1000n });
      const put = { type: 'put', key: 'a', value: new Uint8Array() } as const;
      expect((await late.txn({ compare: [], success: [put] })).revision).to.equal(1001n);
      expect(await codeOf(late.range({ key: 'a', revision: 999n }))).to.equal('COMPACTED');
      expect((await late.range({ key: 'a', revision: 1000n })).items).to.deep.equal([]);
      await late.compact(1001n);
      expect((await late.range({ key: 'a' })).items).to.have.length(1);
      for (const wrong of [0n, -1n, 2n ** 63n, 5 as unknown as bigint]) {
        expect(() => new EmbeddedKeyValueStore({ firstRevision: wrong })).to.throw(
          'option "firstRevision"',
        );
      }
    });

    it('counts a put of the same value as a write', async () => {
      await harness.put('a', 'x');
      await harness.put('a', 'x');
      const [kv] = (await store.range({ key: 'a' })).items;
      expect(kv).to.include({ createRevision: 2n, modRevision: 3n, version: 2n });
    });

    it('stays when a missing key is deleted', async () => {
      const { revision, responses } = await harness.delete('a');
      expect(revision).to.equal(1n);
      expect(responses).to.deep.equal([{ type: 'delete', deleted: 0, previous: [] }]);
    });

    it('starts the version again when a deleted key is put', async () => {
      await harness.put('a');
      await harness.delete('a');
      await harness.put('a');
      const [kv] = (await store.range({ key: 'a' })).items;
      expect(kv).to.include({ createRevision: 4n, modRevision: 4n, version: 1n });
    });
  });

  describe('range', () => {
    it('answers as of a past revision, with the current one as its revision', async () => {
      await harness.put('a', '1');
      await harness.put('b', '2');
      await harness.delete('a');
      const answer = await store.range({ key: 'a', rangeEnd: 'c', revision: 3n });
      expect(answer.items.map(describeKeyValue)).to.deep.equal(['a=1@2', 'b=2@3']);
      expect(answer.revision).to.equal(4n);
      expect(await harness.list('', 1n)).to.deep.equal([]);
    });

    it('counts the whole range despite the limit, now and in the past', async () => {
      for (const key of ['a1', 'a2', 'a3', 'b1']) await harness.put(key);
      await harness.put('a1');
      await harness.delete('a2');
      for (const [revision, count] of [
        [undefined, 2],
        [7n, 2],
        [6n, 3],
        [5n, 3],
        [4n, 3],
        [3n, 2],
      ] as const) {
        const answer = await store.range({ key: 'a', rangeEnd: 'b', revision, limit: 1 });
        expect(answer.items).to.have.lengthOf(1);
        expect(answer.count, `at ${revision}`).to.equal(count);
        expect(answer.more).to.equal(true);
      }
    });

    it('leaves values out on request, or everything but the count', async () => {
      await harness.put('a', 'x');
      const [kv] = (await store.range({ key: 'a', keysOnly: true })).items;
      expect(kv).to.include({ key: 'a', modRevision: 2n });
      expect(kv?.value).to.have.lengthOf(0);
      const counted = await store.range({ key: 'a', rangeEnd: 'b', countOnly: true });
      expect(counted).to.deep.include({ items: [], count: 1, more: false });
    });

    it('refuses the future and what was compacted, and nothing in between', async () => {
      for (let index = 0; index < 5; index += 1) await harness.put('a', `${index}`);
      await store.compact(4n);
      expect(await codeOf(store.range({ key: 'a', revision: 3n }))).to.equal('COMPACTED');
      expect(await codeOf(store.range({ key: 'a', revision: 7n }))).to.equal('FUTURE_REVISION');
      expect(await harness.list('a', 4n)).to.deep.equal(['a=2@4']);
      expect(await harness.list('a', 6n)).to.deep.equal(['a=4@6']);
    });

    it('finds an empty range where the end is not after the start', async () => {
      await harness.put('b');
      expect((await store.range({ key: 'c', rangeEnd: 'a' })).count).to.equal(0);
      expect((await store.range({ key: 'b', rangeEnd: 'b' })).count).to.equal(0);
    });

    it('treats keys like __proto__ as any other', async () => {
      expect((await store.range({ key: '__proto__' })).count).to.equal(0);
      await harness.put('__proto__', 'x');
      expect(await harness.list('__proto__')).to.deep.equal(['__proto__=x@2']);
    });
  });

  describe('txn', () => {
    const put = (key: string): TxnOperation => ({ type: 'put', key, value: Buffer.from('new') });

    it('carries out one branch, and adds no revision when that writes nothing', async () => {
      const request = {
        compare: [{ key: 'a', target: 'modRevision', operator: '=', operand: 0n }],
        success: [put('a')],
        failure: [{ type: 'range', key: 'a' }],
      } as const;
      expect(await store.txn(request)).to.include({ succeeded: true, revision: 2n });
      const refused = await store.txn(request);
      expect(refused).to.include({ succeeded: false, revision: 2n });
      expect(refused.responses[0]).to.include({ type: 'range', count: 1 });
    });

    it('gives all its writes one revision', async () => {
      await store.txn({ compare: [], success: [put('a'), put('b')] });
      expect(await harness.list('')).to.deep.equal(['a=new@2', 'b=new@2']);
    });

    it('reads what it wrote', async () => {
      const { responses } = await store.txn({
        compare: [],
        success: [put('a'), { type: 'range', key: 'a' }, { type: 'delete', key: 'b' }],
      });
      expect(responses[1]).to.include({ type: 'range', count: 1, revision: 2n });
    });

    it('compares every target, a missing key as 0', async () => {
      await harness.put('a', 'm');
      await harness.put('a', 'm');
      const outcome = async (compare: Compare): Promise<boolean> =>
        (await store.txn({ compare: [compare], success: [] })).succeeded;
      const rows: [string, Compare['target'], Compare['operator'], bigint, boolean][] = [
        ['a', 'createRevision', '=', 2n, true],
        ['a', 'modRevision', '=', 2n, false],
        ['a', 'modRevision', '!=', 2n, true],
        ['a', 'version', '>', 1n, true],
        ['a', 'version', '<', 2n, false],
        ['a', 'lease', '=', 0n, true],
        ['b', 'version', '=', 0n, true],
        ['b', 'createRevision', '>', 0n, false],
      ];
      for (const [key, target, operator, operand, holds] of rows) {
        const name = `${key}.${target} ${operator} ${operand}`;
        expect(await outcome({ key, target, operator, operand }), name).to.equal(holds);
      }
    });

    it('compares values by their bytes, and never holds for a missing key', async () => {
      await harness.put('a', 'm');
      for (const [key, operator, operand, holds] of [
        ['a', '=', 'm', true],
        ['a', '<', 'n', true],
        ['a', '>', 'n', false],
        ['b', '!=', 'm', false],
      ] as const) {
        const compare = [
          { key, target: 'value', operator, operand: Buffer.from(operand) } as const,
        ];
        expect((await store.txn({ compare, success: [] })).succeeded).to.equal(holds);
      }
    });

    it('refuses to write a key twice, and then writes nothing', async () => {
      const twice: TxnOperation[][] = [
        [put('a'), put('b'), put('a')],
        [put('b'), { type: 'delete', key: 'b' }],
        [{ type: 'delete', key: 'a', rangeEnd: 'c' }, put('b')],
      ];
      for (const success of twice) {
        expect(await codeOf(store.txn({ compare: [], success }))).to.equal('DUPLICATE_KEY');
        const failure = success;
        expect(await codeOf(store.txn({ compare: [], success: [], failure }))).to.equal(
          'DUPLICATE_KEY',
        );
      }
      expect((await store.status()).revision).to.equal(1n);
    });

    it('takes 128 operations and refuses 129', async () => {
      const many = (count: number): TxnOperation[] =>
        Array.from({ length: count }, (_, index) => put(`${index}`));
      expect(await codeOf(store.txn({ compare: [], success: many(128) }))).to.equal(undefined);
      expect(await codeOf(store.txn({ compare: [], success: many(129) }))).to.equal(
        'TOO_MANY_OPERATIONS',
      );
    });

    it('writes nothing when any operation is impossible', async () => {
      const impossible: [TxnOperation, ErrorCode][] = [
        [{ type: 'put', key: 'b', value: Buffer.from(''), lease: 7n }, 'LEASE_NOT_FOUND'],
        [{ type: 'put', key: '', value: Buffer.from('') }, 'INVALID_KEY'],
        [{ type: 'put', key: 'b', value: Buffer.alloc(1_572_865) }, 'VALUE_TOO_LARGE'],
        [{ type: 'range', key: 'b', revision: 99n }, 'FUTURE_REVISION'],
      ];
      for (const [operation, code] of impossible) {
        expect(await codeOf(store.txn({ compare: [], success: [put('a'), operation] }))).to.equal(
          code,
        );
      }
      expect(await store.status()).to.deep.equal({ revision: 1n, compactedRevision: 0n });
      expect(await harness.put('a')).to.equal(2n);
    });

    it('deletes ranges and returns what it deleted', async () => {
      for (const key of ['a1', 'a2', 'b']) await harness.put(key);
      const { responses, revision } = await harness.delete('a', 'b');
      const [response] = responses;
      expect(response?.type === 'delete' && response.previous.map(describeKeyValue)).to.deep.equal([
        'a1=@2',
        'a2=@3',
      ]);
      expect(revision).to.equal(5n);
      expect(await harness.list('')).to.deep.equal(['b=@4']);
    });
  });

  describe('compact', () => {
    it('refuses what is compacted already and the future', async () => {
      await harness.put('a');
      await harness.put('a');
      await store.compact(2n);
      expect((await store.status()).compactedRevision).to.equal(2n);
      expect(await codeOf(store.compact(2n))).to.equal('COMPACTED');
      expect(await codeOf(store.compact(1n))).to.equal('COMPACTED');
      expect(await codeOf(store.compact(4n))).to.equal('FUTURE_REVISION');
      expect(await codeOf(store.compact(3n))).to.equal(undefined);
    });

    it('keeps the present state through every compaction', async () => {
      await harness.put('a', '1');
      await harness.put('b', '2');
      await harness.delete('a');
      await store.compact(4n);
      await harness.runtime.settle();
      expect(await harness.list('')).to.deep.equal(['b=2@3']);
      expect(await harness.put('a', '3')).to.equal(5n);
      expect(await harness.list('')).to.deep.equal(['a=3@5', 'b=2@3']);
    });
  });

  describe('close', () => {
    it('refuses calls, and may be called twice', async () => {
      await store.close();
      await store.close();
      for (const call of [
        () => store.range({ key: 'a' }),
        () => store.txn({ compare: [], success: [] }),
        () => store.watch({ key: 'a' }),
        () => store.compact(1n),
        () => store.leaseGrant(5),
        () => store.leaseRevoke(5n),
        () => store.status(),
      ]) {
        expect(await codeOf(call())).to.equal('CLOSED');
      }
    });

    it('leaves no timer that keeps a process alive', async () => {
      const timers = (): number =>
        process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
      await Promise.resolve(); // mocha's own timer starts when the spec first waits
      const before = timers();
      const real = new EmbeddedKeyValueStore();
      const { id } = await real.leaseGrant(60);
      const success = [{ type: 'put', key: 'a', value: Buffer.from(''), lease: id } as const];
      await real.txn({ compare: [], success });
      await real.watch({ key: 'a', progressNotify: true });
      expect(timers()).to.equal(before);
      await real.close();
    });
  });

  describe('options', () => {
    it('takes the least and the greatest value of each option', async () => {
      for (const options of [
        { minLeaseTtlSeconds: 1, maxValueBytes: 1, progressIntervalMs: 1 },
        { watchBufferEvents: 1, watchBufferBytes: 1, compactionIntervalMs: 0, maxHistoryBytes: 0 },
        { firstRevision: 1n },
        { firstRevision: 2n ** 62n },
      ]) {
        await new EmbeddedKeyValueStore(options).close();
      }
      for (const name of ['maxValueBytes', 'watchBufferEvents', 'watchBufferBytes']) {
        expect(() => new EmbeddedKeyValueStore({ [name]: 0 }), name).to.throw(name);
      }
    });

    it('notifies of the changes of a revision in the step that makes them', async () => {
      const seen: string[] = [];
      const store = new EmbeddedKeyValueStore({
        runtime: new VirtualRuntime(),
        onCommit: (changes) => {
          for (const { type, kv } of changes) seen.push(`${type} ${kv.key} ${kv.modRevision}`);
        },
      });
      const value = Buffer.from('1');
      void store.txn({ compare: [], success: [{ type: 'put', key: 'a', value }] });
      expect(seen).to.deep.equal(['put a 2']);
      await store.txn({ compare: [], success: [{ type: 'delete', key: 'a' }] });
      await store.txn({ compare: [], success: [{ type: 'delete', key: 'a' }] });
      expect(seen).to.deep.equal(['put a 2', 'delete a 3']);
      await store.close();
    });

    it('names an option it does not know, or whose value breaks its rule', () => {
      const create = (options: object) => () => new EmbeddedKeyValueStore(options);
      expect(create({ compactInterval: 1 })).to.throw('unknown option "compactInterval"');
      expect(create({ maxValueBytes: 0 })).to.throw(
        '"maxValueBytes" must be a whole number of at least 1',
      );
      expect(create({ compactionIntervalMs: -1 })).to.throw('compactionIntervalMs');
    });
  });
});
