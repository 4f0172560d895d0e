import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { GetListOptions } from '../../../../lib/server/storage/contract/storage-interface.ts';
import { apiObjectVersioner } from '../../../../lib/server/storage/contract/versioner.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { encodeContinue } from '../../../../lib/server/storage/reads/continue-token.ts';
import { planList, type ListPlan } from '../../../../lib/server/storage/reads/list-objects.ts';

const PREFIX = '/things/';

const plan = (options: GetListOptions<KubernetesObject>): ListPlan =>
  planList(PREFIX, options, apiObjectVersioner);

describe('the plan of a list', () => {
  const newest = { startKey: PREFIX, revision: undefined, notOlderThan: 0n };

  it('is a state not older than the resource version, which a paged list has exactly', () => {
    expect(plan({})).to.deep.equal(newest);
    expect(plan({ limit: 5 })).to.deep.equal(newest);
    expect(plan({ limit: 5, resourceVersion: '0' })).to.deep.equal(newest);
    expect(plan({ resourceVersion: '7' })).to.deep.equal({ ...newest, notOlderThan: 7n });
    expect(plan({ resourceVersion: '7', limit: 5, recursive: false })).to.deep.equal({
      ...newest,
      notOlderThan: 7n,
    });
    expect(plan({ resourceVersion: '7', limit: 5 })).to.deep.equal({
      ...newest,
      revision: 7n,
      notOlderThan: 7n,
    });
  });

  it('is what its match rule says', () => {
    expect(
      plan({ resourceVersion: '7', resourceVersionMatch: 'NotOlderThan', limit: 5 }),
    ).to.deep.equal({ ...newest, notOlderThan: 7n });
    expect(plan({ resourceVersion: '7', resourceVersionMatch: 'Exact' })).to.deep.equal({
      ...newest,
      revision: 7n,
      notOlderThan: 7n,
    });
  });

  it('continues at the state of the token, or at the newest', () => {
    const token = (revision: bigint): string =>
      encodeContinue({ startKey: `${PREFIX}b`, revision }, PREFIX);
    const startKey = `${PREFIX}b`;
    expect(plan({ continueToken: token(7n) })).to.deep.equal({
      startKey,
      revision: 7n,
      notOlderThan: 0n,
    });
    expect(plan({ continueToken: token(-1n) })).to.deep.equal({
      startKey,
      revision: undefined,
      notOlderThan: 0n,
    });
  });
});

describe('a list', () => {
  it('lets other tasks run after each 500 objects', async () => {
    const runtime = new VirtualRuntime();
    const store = new EmbeddedKeyValueStore({ runtime });
    let tasks = 0;
    const counting = Object.create(runtime, {
      queueTask: {
        value: (task: () => void) => {
          tasks += 1;
          runtime.queueTask(task);
        },
      },
    }) as VirtualRuntime;
    const storage = new KeyValueStorage({ store, resourcePrefix: PREFIX, runtime: counting });
    await runtime.run(async () => {
      for (let from = 0; from < 1100; from += 100) {
        const success = Array.from({ length: 100 }, (_, at) => ({
          type: 'put' as const,
          key: `${PREFIX}${from + at}`,
          value: Buffer.from(JSON.stringify({ metadata: { name: String(from + at) } })),
        }));
        await store.txn({ compare: [], success });
      }
      const { items } = await storage.getList(PREFIX, {});
      expect(items).to.have.length(1100);
    });
    expect(tasks).to.equal(2);
    await runtime.run(store.close());
  });
});
