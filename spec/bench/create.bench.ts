import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../lib/server/storage/key-value-storage.ts';
import { perSecond, sized, timed, type Bench } from './bench.ts';
import { configMap, requestOf } from './requests.ts';

async function throughStorage(count: number): Promise<number> {
  const store = new EmbeddedKeyValueStore();
  const resourcePrefix = '/registry/configmaps/';
  const storage = new KeyValueStorage({ store, resourcePrefix });
  const tookMs = await timed(async () => {
    for (let index = 0; index < count; index += 1) {
      await storage.create(`${resourcePrefix}default/c${index}`, configMap(`c${index}`));
    }
  });
  await store.close();
  return tookMs;
}

async function throughHandler(count: number): Promise<number> {
  const server = new ApiServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const create = async (name: string): Promise<void> => {
    const { status } = await server.handler(requestOf('POST', path, configMap(name)));
    if (status !== 201) throw new Error(`create answered ${status}`);
  };
  await create('first');
  const tookMs = await timed(async () => {
    for (let index = 0; index < count; index += 1) await create(`c${index}`);
  });
  await server.close();
  return tookMs;
}

export const bench: Bench = {
  title: 'creates of 1 KB objects, one after the other, in one process without a socket',
  run: async (size) => {
    const count = sized(size, { tiny: 20, quick: 5000, full: 20_000 });
    return [
      perSecond('KeyValueStorage', count, await throughStorage(count)),
      perSecond('ApiServer handler', count, await throughHandler(count)),
    ];
  },
};
