import { expect } from 'chai';
import { silentLogger, type LogFields } from '../../../lib/kernel/report/logger.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { Compactor, EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { KeyValueStore, Revision } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { etcdBinaries, EtcdMember } from '../../support/etcd.ts';
import { until } from '../../support/until.ts';

const MINUTE = 60_000;

async function put(store: KeyValueStore, key: string): Promise<Revision> {
  const success = [{ type: 'put', key, value: Buffer.from('x') } as const];
  return (await store.txn({ compare: [], success })).revision;
}

describe('Compactor', () => {
  const runtime = new VirtualRuntime();
  const warnings: string[] = [];
  const logger = {
    ...silentLogger,
    warn: (message: string, fields?: LogFields) =>
      warnings.push(`${message}: ${String(fields?.['error'])}`),
  };
  let store: EmbeddedKeyValueStore;
  /** The revisions of compactions, each with its client. */
  let compactions: string[];

  beforeEach(() => {
    store = new EmbeddedKeyValueStore({ runtime, compactionIntervalMs: 0 });
    compactions = [];
    warnings.length = 0;
  });

  afterEach(async () => {
    await store.close();
  });

  function server(name: string, faults: Partial<KeyValueStore> = {}): Compactor {
    const seen: KeyValueStore = {
      supportsProgress: true,
      range: (request) => store.range(request),
      txn: (request) => store.txn(request),
      watch: (request) => store.watch(request),
      leaseGrant: (ttl) => store.leaseGrant(ttl),
      leaseRevoke: (id) => store.leaseRevoke(id),
      status: () => store.status(),
      close: () => store.close(),
      compact: async (revision) => {
        await store.compact(revision);
        compactions.push(`${name}@${revision}`);
      },
      ...faults,
    };
    return new Compactor({ store: seen, runtime, logger, intervalMs: 5 * MINUTE });
  }

  it('notes the revision at the first step, and compacts to the noted one at each later step', async () => {
    const compactor = server('a');
    await runtime.run(async () => {
      compactor.start();
      await put(store, 'x'); // 2
      await sleep(runtime, 5 * MINUTE + 1); // turn 1 is revision 3
      expect(compactions).to.deep.equal([]);
      await put(store, 'x'); // 4
      await sleep(runtime, 5 * MINUTE); // turn 2 is revision 5, compacts to 3
      expect(compactions).to.deep.equal(['a@3']);
      await sleep(runtime, 5 * MINUTE);
      expect(compactions).to.deep.equal(['a@3', 'a@5']);
      compactor.stop();
    });
    expect((await store.status()).compactedRevision).to.equal(5n);
  });

  it('lets one of several servers compact at each step, and none of them twice', async () => {
    const compactors = [server('a'), server('b'), server('c')];
    await runtime.run(async () => {
      for (const compactor of compactors) compactor.start();
      for (let step = 0; step < 6; step += 1) {
        await put(store, 'x');
        await sleep(runtime, 5 * MINUTE);
      }
      for (const compactor of compactors) compactor.stop();
    });
    expect(compactions.length, compactions.join(' ')).to.equal(5);
    const revisions = compactions.map((one) => BigInt(one.split('@')[1]!));
    expect(new Set(revisions).size).to.equal(5);
    expect(warnings).to.deep.equal([]);
  });

  it('takes over from a server that has gone, and goes on where that one stopped', async () => {
    const first = server('a');
    const second = server('b');
    await runtime.run(async () => {
      first.start();
      await sleep(runtime, 11 * MINUTE);
      first.stop();
      second.start();
      await sleep(runtime, 11 * MINUTE);
      second.stop();
    });
    // The first step of the second server finds the turn of another client and only reads it.
    expect(compactions.map((one) => one[0])).to.deep.equal(['a', 'b']);
  });

  it('says that a step failed and does its work at the next', async () => {
    let broken = false;
    const compactor = server('a', {
      txn: async (request) => {
        if (broken) throw new Error('no answer');
        return await store.txn(request);
      },
    });
    await runtime.run(async () => {
      compactor.start();
      await sleep(runtime, 5 * MINUTE + 1);
      broken = true;
      await sleep(runtime, 5 * MINUTE);
      broken = false;
      await sleep(runtime, 5 * MINUTE);
      compactor.stop();
    });
    expect(warnings).to.deep.equal(['etcd: history was not compacted: no answer']);
    expect(compactions).to.deep.equal(['a@2']);
  });

  it('stops, also in the middle of a step', async () => {
    let proceed = (): void => {};
    const compactor = server('a', {
      txn: async (request) => {
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
        return await store.txn(request);
      },
    });
    await runtime.run(async () => {
      compactor.start();
      await sleep(runtime, 5 * MINUTE + 1);
      compactor.stop();
      proceed();
      await sleep(runtime, 20 * MINUTE);
    });
    expect((await store.status()).revision).to.equal(2n);
  });
});

for (const binary of etcdBinaries()) {
  describe(`Compactor on ${binary}`, () => {
    it('keeps the history of a real member short, with two servers', async () => {
      await using member = await EtcdMember.start({ binary });
      const options = { endpoints: [member.url], compactionIntervalMs: 50 };
      await using one = await EtcdKeyValueStore.connect(options);
      await using other = await EtcdKeyValueStore.connect(options);
      const begin = await put(one, '/specs/a');
      for (let write = 0; write < 20; write += 1) await put(other, '/specs/a');
      await until('the begin was compacted away', async () => {
        return (await one.status()).compactedRevision > begin + 20n;
      });
      const turn = await one.range({ key: 'compact_rev_key' });
      expect(Number(turn.items[0]?.version)).to.be.at.least(2);
    });

    it('does not compact when the interval is 0', async () => {
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({
        endpoints: [member.url],
        compactionIntervalMs: 0,
      });
      await put(store, '/specs/a');
      expect((await store.status()).compactedRevision).to.equal(0n);
      expect((await store.range({ key: 'compact_rev_key' })).count).to.equal(0);
    });
  });
}
