import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { LateStore } from './late-store.ts';

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
});
