import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import type { Stored } from '../../lib/meta/stored.ts';
import type { ConfigMap } from '../../lib/types/built-in/core-v1-kinds.ts';
import { Between } from '../cache/support/between.ts';

interface World {
  readonly runtime: VirtualRuntime;
  readonly maps: SharedIndexInformer<ConfigMap>;
  readonly between: Between<Stored<ConfigMap>>;
  /** The lists of pages: their media type. */
  readonly lists: string[];
  readonly write: (plural: 'configmaps' | 'secrets', name: string) => Promise<void>;
}

/** A server, and an informer of its config maps whose watch may drop events, in virtual time. */
async function inWorld(story: (world: World) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    const lists: string[] = [];
    const transport = inProcessTransport((request) => {
      if (request.url.includes('limit=500')) lists.push(request.headers['accept'] ?? '');
      return server.handler(request);
    });
    await using client = new Client({ transport, runtime });
    const logger = silentLogger;
    await using informers = new SharedInformerFactory(client, { runtime, logger });
    const maps = informers.for('v1', 'configmaps', {
      namespace: 'default',
      stalenessIntervalMs: 30_000,
      auditIntervalMs: 120_000,
    });
    const between = new Between<Stored<ConfigMap>>();
    maps.intercept((source) => {
      between.source = source;
      return between;
    });
    informers.start();
    await informers.whenSynced({ timeoutMs: 60_000 });
    const write = async (plural: string, name: string): Promise<void> => {
      const resource = client.resource('v1', plural, { namespace: 'default' });
      await resource.create({ metadata: { name } });
    };
    await story({ runtime, maps, between, lists, write });
  });
}

describe('a cache behind its server', () => {
  it('has caught up in a few seconds though nothing of its collection changes', async () => {
    await inWorld(async ({ runtime, maps, write }) => {
      await write('secrets', 'other');
      const startedAtMs = runtime.monotonicMs();
      await maps.caughtUp();
      expect(runtime.monotonicMs() - startedAtMs).to.be.within(1000, 4000);
      expect(maps.inspect().connected).to.equal(true);
    });
  });

  it('has caught up at once when its change has come', async () => {
    await inWorld(async ({ runtime, maps, write }) => {
      await write('configmaps', 'one');
      const startedAtMs = runtime.monotonicMs();
      await maps.caughtUp();
      expect(maps.indexer.has('default/one')).to.equal(true);
      expect(runtime.monotonicMs() - startedAtMs).to.be.lessThan(500);
    });
  });

  it('is not behind by the changes of other resources', async () => {
    await inWorld(async ({ runtime, maps, write }) => {
      for (let round = 0; round < 10; round += 1) {
        await write('secrets', `s${round}`);
        await sleep(runtime, 13_000);
        expect(maps.inspect().staleness, `round ${round}`).to.deep.equal({ revisions: 0, ms: 0 });
      }
    });
  });

  it('is found wrong by an audit of metadata once the watch has dropped an event', async () => {
    await inWorld(async ({ runtime, maps, between, lists, write }) => {
      await write('configmaps', 'one');
      await sleep(runtime, 140_000);
      expect(maps.inspect().lastAudit).to.include({ missing: 0, stale: 0, leftOver: 0 });
      expect(lists).to.have.length(1);
      expect(lists[0]).to.include('as=PartialObjectMetadataList');
      between.hide = () => true;
      await write('configmaps', 'lost');
      await sleep(runtime, 300_000);
      expect(maps.inspect().lastAudit).to.include({ missing: 1, stale: 0, leftOver: 0 });
      expect(maps.indexer.has('default/lost')).to.equal(false);
    });
  });
});
