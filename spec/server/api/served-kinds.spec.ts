import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';

const FEW = new Set([
  'namespaces',
  'services',
  'customresourcedefinitions.apiextensions.k8s.io',
  'configmaps',
]);

describe('a server of few resources over the store of an earlier server', () => {
  it('serves these, with the objects that the earlier one has left, and no others', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const earlier = new EmbeddedKeyValueStore({ runtime });
      const first = new ApiServer({ runtime, earlierStore: earlier });
      const before = new Client({ transport: inProcessTransport(first.handler), runtime });
      const maps = before.resource('v1', 'configmaps', { namespace: 'default' });
      const { metadata } = await maps.create({ metadata: { name: 'kept' } });
      // Default objects are stored when they are needed: some are there already.
      await before.resource('scheduling.k8s.io/v1', 'priorityclasses').list();
      const pieces: Uint8Array[] = [];
      for await (const piece of earlier.snapshot()) pieces.push(piece);
      await first.close();

      const bytes = (async function* () {
        yield* pieces;
      })();
      const earlierStore = await EmbeddedKeyValueStore.load(bytes, { runtime });
      await using server = new ApiServer({ runtime, earlierStore, builtInResources: FEW });
      await using client = new Client({ transport: inProcessTransport(server.handler), runtime });
      const kept = await client.resource('v1', 'configmaps', { namespace: 'default' }).get('kept');
      expect(kept.metadata.uid).to.equal(metadata.uid);
      expect(kept.metadata.resourceVersion).to.equal(metadata.resourceVersion);
      const secrets = client.resource('v1', 'secrets', { namespace: 'default' });
      const refused = await secrets.list().then(
        () => 'an answer',
        (error: unknown) => (error as { code?: string }).code,
      );
      expect(refused).to.equal('NOT_FOUND');
    });
  });

  it('finds the default objects of an earlier server with all resources, too', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const store = new EmbeddedKeyValueStore({ runtime });
      const first = new ApiServer({ runtime, earlierStore: store });
      await first.start();
      const pieces: Uint8Array[] = [];
      for await (const piece of store.snapshot()) pieces.push(piece);
      await first.close();
      const bytes = (async function* () {
        yield* pieces;
      })();
      const earlierStore = await EmbeddedKeyValueStore.load(bytes, { runtime });
      await using server = new ApiServer({ runtime, earlierStore });
      await using client = new Client({ transport: inProcessTransport(server.handler), runtime });
      const { items } = await client.resource('scheduling.k8s.io/v1', 'priorityclasses').list();
      expect(items.map(({ metadata }) => metadata.name)).to.include('system-node-critical');
    });
  });
});
