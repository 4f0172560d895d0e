import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { KeyValueWatch } from '../../lib/server/mvcc/contract/key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { LaggingKeyValueStore } from '../../lib/testing/lagging-key-value-store.ts';

const MAPS = ['v1', 'configmaps', { namespace: 'default' }] as const;

/** Two servers over one store, of which the second lags, with a client of each. */
async function withServers(
  story: (parts: {
    readonly runtime: VirtualRuntime;
    readonly lagging: LaggingKeyValueStore;
    readonly first: Client;
    readonly second: Client;
  }) => Promise<void>,
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using store = new EmbeddedKeyValueStore({ runtime });
    const lagging = new LaggingKeyValueStore(store);
    await using server = new ApiServer({ runtime, keyValueStore: store });
    await using other = new ApiServer({ runtime, keyValueStore: lagging });
    await using first = clientOf(server, runtime);
    await using second = clientOf(other, runtime);
    await second.resource(...MAPS).list({ resourceVersion: '0' });
    await story({ runtime, lagging, first, second });
  });
  expect(runtime.pending).to.equal(0);
}

function clientOf({ handler }: ApiServer, runtime: VirtualRuntime): Client {
  return new Client({ transport: inProcessTransport(handler), runtime });
}

async function namesOf(client: Client, resourceVersion?: string): Promise<readonly string[]> {
  const { items } = await client.resource(...MAPS).list({ resourceVersion });
  return items.map(({ metadata }) => metadata.name);
}

/** Keys of the events of a watch. */
async function read(watch: KeyValueWatch, into: string[]): Promise<void> {
  for await (const batch of watch) {
    for (const message of batch) {
      into.push(message.type === 'event' ? message.event.kv.key : 'progress');
    }
  }
  into.push('end');
}

function put(key: string) {
  return {
    compare: [],
    success: [{ type: 'put', key, value: new Uint8Array(1) }],
  } as const;
}

describe('LaggingKeyValueStore', () => {
  it('lets a second server serve old lists from its cache, until it is released', async () => {
    await withServers(async ({ runtime, lagging, first, second }) => {
      await first.resource(...MAPS).create({ metadata: { name: 'one' } });
      await sleep(runtime, 1000);
      lagging.hold();
      await first.resource(...MAPS).create({ metadata: { name: 'two' } });
      await first.resource(...MAPS).delete('one');
      await sleep(runtime, 1000);
      expect(lagging.holding).to.equal(true);
      expect(await namesOf(second, '0')).to.deep.equal(['one']);
      expect(await namesOf(first, '0')).to.deep.equal(['two']);
      lagging.release();
      await sleep(runtime, 1000);
      expect(lagging.holding).to.equal(false);
      expect(await namesOf(second, '0')).to.deep.equal(['two']);
    });
  });

  it('does not hold lists of the newest state, reads of one object, and writes', async () => {
    await withServers(async ({ lagging, first, second }) => {
      lagging.hold();
      await first.resource(...MAPS).create({ metadata: { name: 'one' } });
      expect(await namesOf(second)).to.deep.equal(['one']);
      expect((await second.resource(...MAPS).get('one')).metadata.name).to.equal('one');
      await second.resource(...MAPS).create({ metadata: { name: 'two' } });
      expect(await namesOf(first)).to.deep.equal(['one', 'two']);
    });
  });

  it('brings all events in their order after its release, those of several holds too', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const lagging = new LaggingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
      const seen: string[] = [];
      const watch = await lagging.watch({ key: '/', rangeEnd: '0' });
      const reading = read(watch, seen);
      await lagging.txn(put('/a'));
      await sleep(runtime, 10);
      expect(seen).to.deep.equal(['/a']);
      lagging.hold();
      for (const key of ['/b', '/c', '/d']) await lagging.txn(put(key));
      await watch.requestProgress();
      await sleep(runtime, 10);
      lagging.hold();
      expect(seen).to.deep.equal(['/a']);
      lagging.release();
      lagging.hold();
      await sleep(runtime, 10);
      expect(seen).to.deep.equal(['/a']);
      lagging.release();
      await sleep(runtime, 10);
      expect(seen).to.deep.equal(['/a', '/b', '/c', '/d', 'progress']);
      await lagging.close();
      await reading;
      expect(seen.at(-1)).to.equal('end');
    });
  });

  it('ends a held watch that is closed, or whose signal aborts', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const lagging = new LaggingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
      const stop = new AbortController();
      const closed: string[] = [];
      const aborted: string[] = [];
      const unused = new AbortController();
      const one = await lagging.watch({ key: '/a', signal: unused.signal });
      const other = await lagging.watch({ key: '/a', signal: stop.signal });
      const readings = [read(one, closed), read(other, aborted)];
      lagging.hold();
      await lagging.txn(put('/a'));
      await sleep(runtime, 10);
      one.destroy();
      stop.abort();
      await Promise.all(readings);
      expect([closed, aborted]).to.deep.equal([['end'], ['end']]);
      expect(getEventListeners(unused.signal, 'abort')).to.deep.equal([]);
      await lagging.close();
    });
  });

  it('ends its watches when it is closed, also while it holds them', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const lagging = new LaggingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
      const seen: string[] = [];
      const reading = read(await lagging.watch({ key: '/a' }), seen);
      lagging.hold();
      await lagging.txn(put('/a'));
      await sleep(runtime, 10);
      await lagging.close();
      await reading;
      expect(seen.at(-1)).to.equal('end');
    });
  });

  it('passes on what the store behind it does', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const store = new EmbeddedKeyValueStore({ runtime });
      const lagging = new LaggingKeyValueStore(store);
      const { id } = await lagging.leaseGrant(60);
      await lagging.txn(put('/a'));
      await lagging.txn(put('/b'));
      const { revision } = await lagging.range({ key: '/a' });
      await lagging.compact(revision);
      expect(await lagging.status()).to.deep.equal(await store.status());
      expect((await store.status()).compactedRevision).to.equal(revision);
      expect(lagging.supportsProgress).to.equal(store.supportsProgress);
      await lagging.leaseRevoke(id);
      await lagging.close();
    });
  });
});
