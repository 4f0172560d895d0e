import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import {
  prefixEnd,
  type KeyValueStore,
  type KeyValueWatch,
  type Revision,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { HANG_MS, until } from '../../support/until.ts';
import { etcdBinaries, EtcdCluster, EtcdMember } from '../../support/etcd.ts';

const RANGE = { key: '/specs/', rangeEnd: prefixEnd('/specs/') } as const;
const STORE_TIMEOUT_MS = 1500;
const TIMEOUTS = { requestTimeoutMs: STORE_TIMEOUT_MS, memberTimeoutMs: 400 } as const;
const FLAGS = ['--heartbeat-interval=50', '--election-timeout=500'];

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

function configMap(name: string): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

async function put(store: KeyValueStore, key: string): Promise<Revision> {
  const success = [{ type: 'put', key, value: Buffer.from('x') } as const];
  return (await store.txn({ compare: [], success })).revision;
}

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, String(error)).to.be.an.instanceOf(ApiError);
  return error as ApiError;
}

/** The outcome of `work`, tried again where a busy machine takes longer than the short time limits of the store. */
async function eventually<T>(what: string, work: () => Promise<T>): Promise<T> {
  const outcomes: T[] = [];
  await until(what, async () => {
    await work().then(
      (outcome) => outcomes.push(outcome),
      () => {},
    );
    return outcomes.length > 0;
  });
  return outcomes[0]!;
}

/** A server over `store` that has started. */
function listening(store: KeyValueStore): Promise<ApiServer> {
  return eventually('a server listens', async () => {
    const server = new ApiServer({ keyValueStore: store });
    try {
      await server.listen();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  });
}

/** The revision of the next event. */
async function nextEvent(watch: KeyValueWatch): Promise<Revision> {
  for await (const batch of watch) {
    for (const message of batch) {
      if (message.type === 'event') return message.event.kv.modRevision;
    }
  }
  throw new Error('the watch ended');
}

for (const binary of etcdBinaries()) {
  describe(`an outage of ${binary}`, function () {
    it('is reported to API users in time, with the outcome of each write; informers catch up after it', async () => {
      await using cluster = await EtcdCluster.start({ binary, size: 3, flags: FLAGS });
      await using store = await EtcdKeyValueStore.connect({ endpoints: cluster.urls, ...TIMEOUTS });
      await using server = await listening(store);
      await using client = await connect(server.clientConfig());
      const configMaps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      await using informer = new SharedIndexInformer<ConfigMap>({
        listerWatcher: client.listerWatcher<ConfigMap>(
          { apiVersion: 'v1', resource: 'configmaps' },
          { namespace: 'default' },
        ),
        onError: () => {},
      });
      const running = informer.run();
      await informer.whenSynced({ timeoutMs: HANG_MS });
      const present = await eventually('an object is created', () =>
        configMaps.create(configMap('present')).catch(() => configMaps.get('present')),
      );

      // A majority is gone: what is left takes requests, and cannot carry them out.
      const gone = cluster.members.slice(0, 2);
      await Promise.all(gone.map((member) => member.kill()));
      // The client of the store has found a remaining member.
      await store.range({ ...RANGE }).catch(() => {});
      const [get, list, create, update] = await Promise.all([
        failureOf(configMaps.get('present')),
        failureOf(configMaps.list()),
        failureOf(configMaps.create(configMap('late'))),
        failureOf(configMaps.update({ ...present, data: { changed: 'yes' } })),
      ]);
      for (const read of [get, list]) {
        expect([read.httpStatus, read.reason, read.retryAfterMs]).to.deep.equal([
          500,
          'ServerTimeout',
          2000,
        ]);
      }
      for (const write of [create, update]) {
        expect([write.httpStatus, write.reason]).to.deep.equal([504, 'Timeout']);
        expect(write.message).to.include('not known whether it was carried out');
        // Clients would try again by themselves.
        expect(write.retryAfterMs).to.equal(undefined);
      }
      // Reads that may be old are still served.
      const cached = await configMaps.list({ resourceVersion: '0' });
      expect(cached.items.map(({ metadata }) => metadata?.name)).to.include('present');

      await Promise.all(cluster.members.map((member) => member.kill()));
      const unreachable = await failureOf(configMaps.create(configMap('never')));
      expect([unreachable.httpStatus, unreachable.reason]).to.deep.equal([500, 'ServerTimeout']);

      await Promise.all(cluster.members.map((member) => member.restart()));
      await until('writes are taken again', async () => {
        const name = 'behind';
        await configMaps.delete(name).catch(() => {});
        return await configMaps.create(configMap(name)).then(
          () => true,
          () => false,
        );
      });
      const { items } = await eventually('objects are listed', () => configMaps.list());
      await until('the informer has caught up', () =>
        items.every(({ metadata }) => {
          const object = informer.indexer.get(`default/${metadata?.name}`);
          return object?.metadata?.resourceVersion === metadata?.resourceVersion;
        }),
      );
      expect(items.map(({ metadata }) => metadata?.name)).to.not.include('never');
      await informer.close();
      await running;
    });

    it('begins a watch from now after the last acknowledged write, even on a lagging member', async () => {
      await using cluster = await EtcdCluster.start({ binary, size: 3, flags: FLAGS });
      const leader = await cluster.leader();
      const lagging = cluster.members.find((member) => member !== leader)!;
      const others = cluster.members.filter((member) => member !== lagging).map(({ url }) => url);
      await using writer = await EtcdKeyValueStore.connect({ endpoints: others });
      // It asks the lagging member first.
      await using reader = await EtcdKeyValueStore.connect({ endpoints: [lagging.url, ...others] });
      for (let round = 0; round < 5; round += 1) {
        await lagging.freeze();
        let acknowledged = 0n;
        for (let write = 0; write < 30; write += 1) acknowledged = await put(writer, '/specs/a');
        lagging.thaw();
        const watch = await reader.watch({ ...RANGE });
        expect(watch.startedAt >= acknowledged, `${watch.startedAt} < ${acknowledged}`).to.equal(
          true,
        );
        const next = await put(writer, '/specs/a');
        expect(await nextEvent(watch)).to.equal(next);
      }
    });

    it('leaves a member that sends nothing while progress is due', async () => {
      await using cluster = await EtcdCluster.start({ binary, size: 3, flags: FLAGS });
      const leader = await cluster.leader();
      const frozen = cluster.members.find((member) => member !== leader)!;
      const others = cluster.members.filter((member) => member !== frozen).map(({ url }) => url);
      await using writer = await EtcdKeyValueStore.connect({ endpoints: others });
      await using reader = await EtcdKeyValueStore.connect({
        endpoints: [frozen.url, ...others],
        ...TIMEOUTS,
      });
      if (!reader.supportsProgress) {
        console.log('      this etcd answers progress requests too early: nothing to ask for');
        return;
      }
      const watch = await reader.watch({ ...RANGE });
      await frozen.freeze();
      const written = await put(writer, '/specs/a');
      await watch.requestProgress();
      expect(await nextEvent(watch)).to.equal(written);
      frozen.thaw();
    });

    it('closes the store at once while a call hangs', async () => {
      await using member = await EtcdMember.start({ binary });
      const store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      await member.freeze();
      const hanging = put(store, '/specs/a').catch((error: unknown) => error);
      const opening = store.watch({ ...RANGE }).catch((error: unknown) => error);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await store.close();
      expect(isListwatchError(await hanging, 'CLOSED')).to.equal(true);
      await opening;
      member.thaw();
    });
  });
}
