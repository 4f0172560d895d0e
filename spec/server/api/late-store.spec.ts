import { expect } from 'chai';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { LateStore, SlowStore } from './late-store.ts';

describe('an API server over a store that is down at first', () => {
  it('answers requests with the reason, and serves once the store answers', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using store = new LateStore({ runtime });
      await using server = new ApiServer({ keyValueStore: store, runtime });
      const transport = inProcessTransport(server.handler);
      await using client = new Client({ transport, runtime });
      const namespaces = client.resource('v1', 'namespaces');
      const refusal: unknown = await namespaces.list().catch((error: unknown) => error);
      expect((refusal as Error).message).to.include('etcd did not answer');
      store.down = false;
      const { items } = await namespaces.list();
      expect(items.map(({ metadata }) => metadata?.name)).to.include('default');
    });
  });

  it('starts when the store answers the writes of its start too late at first', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using store = new SlowStore({ runtime });
      await using server = new ApiServer({ keyValueStore: store, runtime, logger: silentLogger });
      const transport = inProcessTransport(server.handler);
      await using client = new Client({ transport, runtime });
      const { items } = await client.resource('v1', 'namespaces').list();
      const names = items.map(({ metadata }) => metadata?.name);
      expect(names).to.include.members(['default', 'kube-system']);
      // The address of a service whose creation was not answered is free again after a minute.
      await sleep(runtime, 120_000);
      const service = client.resource('v1', 'services', { namespace: 'default' });
      expect((await service.get('kubernetes')).metadata.name).to.equal('kubernetes');
      expect(store.unanswered).to.equal(30);
    });
  });
});
