import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

describe('a watch from the version of a list', () => {
  it('brings every deletion in between, also of objects that came after the list', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using client = new Client({ transport });
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const create = async (name: string): Promise<void> => {
      await maps.create({ metadata: { name }, data: { name } });
    };
    for (const name of ['a', 'b']) await create(name);
    const { resourceVersion } = await maps.list();
    await maps.delete('a');
    await create('c');
    await maps.delete('c');
    await maps.delete('b');
    await create('a');
    await create('end');

    const seen: string[] = [];
    for await (const event of maps.watch({ resourceVersion })) {
      if (event.type === 'BOOKMARK') continue;
      seen.push(`${event.type} ${event.object.metadata.name} ${event.object.data?.['name']}`);
      if (event.object.metadata.name === 'end') break;
    }
    expect(seen).to.deep.equal([
      'DELETED a a',
      'ADDED c c',
      'DELETED c c',
      'DELETED b b',
      'ADDED a a',
      'ADDED end end',
    ]);
  });
});
