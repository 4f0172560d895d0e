import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { ApiServer } from '../../../lib/server/api/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { RangeRequest, RangeResponse } from '../../../lib/server/mvcc/key-value-store.ts';
import { inProcessTransport } from '../../../lib/testing/in-process-transport.ts';

/** A store whose cluster is down at first. */
class LateStore extends EmbeddedKeyValueStore {
  down = true;

  override async range(request: RangeRequest): Promise<RangeResponse> {
    if (this.down) throw new ListwatchError('STORE_UNAVAILABLE', 'etcd did not answer');
    return await super.range(request);
  }
}

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
