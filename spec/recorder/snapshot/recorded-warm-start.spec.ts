import { expect } from 'chai';
import { rm, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { replay } from '../../../lib/recorder/replay/replay.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import { fileWarmStart } from '../../../lib/recorder/snapshot/file-snapshot.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { within, until } from '../../support/until.ts';
import { inFolder } from '../support/memory-files.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** So many that the cache has not applied them all when the watch begins. */
const OBJECTS = 300;
const IDENTITY = { server: 'one', user: 'two' };

interface Started {
  readonly maps: SharedIndexInformer<ConfigMap>;
  readonly informers: SharedInformerFactory;
  readonly errors: unknown[];
}

function start(client: Client, file: string): Started {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const informers = new SharedInformerFactory(client, {
    watchList: false,
    logger: silentLogger,
    onError,
  });
  const warmStart = fileWarmStart({ file, identity: IDENTITY });
  const maps = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default', warmStart });
  return { maps, informers, errors };
}

const statesOf = (informer: SharedIndexInformer<ConfigMap>): string[] =>
  informer.lister
    .list()
    .map(({ metadata, data }) => `${metadata.name} ${metadata.resourceVersion} ${data?.['color']}`)
    .toSorted();

/** The final objects of an informer that reads a recording in place of the client or of its source. */
async function replayed(
  path: string,
  from: 'informer' | 'client',
  expected: readonly string[],
): Promise<string[]> {
  const source = await replay<ConfigMap>(path, { speed: 'instant' });
  await using informers = new SharedInformerFactory(source, { logger: silentLogger });
  await using maps =
    from === 'client'
      ? informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
      : new SharedIndexInformer<ConfigMap>({ listerWatcher: source, logger: silentLogger });
  const running = from === 'client' ? informers.start() : maps.run();
  await within(maps.whenSynced(), 'the list of the recording');
  await until('the end of the recording', () => source.finished);
  // The last answer is given before it is in the cache.
  await until('the recorded cache', () => statesOf(maps).join() === expected.join());
  await maps.close();
  await running;
  return statesOf(maps);
}

describe('a recording of an informer that starts warm', () => {
  for (const from of ['informer', 'client'] as const) {
    for (const kept of ['in a file', 'as the last minutes'] as const) {
      it(`begins with what was saved, and replays to the same cache: of the ${from}, ${kept}`, async () => {
        await using server = new ApiServer();
        await server.listen();
        await using client = await connect(server.clientConfig());
        const api = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
        for (let index = 0; index < OBJECTS; index += 1) {
          await api.create({ metadata: { name: `m${index}` }, data: { color: 'blue' } });
        }
        await inFolder(async (folder) => {
          const file = join(folder, 'maps.snapshot');
          const path = join(folder, 'maps.listwatch');
          const cold = start(client, file);
          cold.informers.start();
          await within(cold.maps.whenSynced(), 'the first start');
          await cold.informers.close();
          // The server confirms the saved version with it.
          await api.create({ metadata: { name: 'new' }, data: { color: 'green' } });
          const warm = start(client, file);
          const options = kept === 'in a file' ? {} : { keepMinutes: 5 };
          const recording = await record(
            (from === 'client' ? client : warm.maps) as Parameters<typeof record>[0],
            path,
            options,
          );
          warm.informers.start();
          await within(warm.maps.whenSynced(), 'the second start');
          await api.patch('m1', { data: { color: 'red' } });
          await api.delete('m2');
          await until(
            'the deletion',
            () => warm.maps.lister.namespace('default').get('m2') === undefined,
          );
          const expected = statesOf(warm.maps);
          if (kept === 'as the last minutes') await recording.dump(path);
          await warm.informers.close();
          await recording.close();
          expect(warm.errors).to.deep.equal([]);
          expect(expected).to.have.length(OBJECTS);
          expect(await replayed(path, from, expected)).to.deep.equal(expected);
        });
      });
    }
  }

  it('says which list failed where the snapshot is damaged, and has the list that took its place', async () => {
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect(server.clientConfig());
    const api = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
    await api.create({ metadata: { name: 'one' }, data: { color: 'blue' } });
    await inFolder(async (folder) => {
      const file = join(folder, 'maps.snapshot');
      const path = join(folder, 'maps.listwatch');
      const cold = start(client, file);
      cold.informers.start();
      await within(cold.maps.whenSynced(), 'the first start');
      await cold.informers.close();
      const bytes = await readFile(file);
      bytes[bytes.length - 3]! ^= 1;
      await rm(file);
      await writeFile(file, bytes, { mode: 0o600 });
      const warm = start(client, file);
      const recording = await record<ConfigMap>(warm.maps, path);
      warm.informers.start();
      await within(warm.maps.whenSynced(), 'the second start');
      const expected = statesOf(warm.maps);
      await warm.informers.close();
      await recording.close();
      expect(warm.errors).to.have.length(1);
      expect(warm.errors[0]).to.include({ code: 'SNAPSHOT_INVALID' });
      expect(await replayed(path, 'informer', expected)).to.deep.equal(expected);
      expect(expected).to.have.length(1);
    });
  });
});
