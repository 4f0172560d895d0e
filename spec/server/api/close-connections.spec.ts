import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

const ROUNDS = 25;

describe('closeConnections', () => {
  for (const scheme of ['http', 'https']) {
    it(`lets the next write of a client in this process succeed, over ${scheme}`, async () => {
      await using server = new ApiServer();
      await server.listen();
      const { server: url, token } = server.clientConfig();
      const address = { server: url.replace('http:', `${scheme}:`), token };
      const tls = scheme === 'https' ? { ca: server.certificateAuthority } : undefined;
      await using client = await connect({ ...address, tls });
      const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
      await maps.create({ metadata: { name: 'a' } });
      for (let round = 1; round <= ROUNDS; round += 1) {
        expect((await server.inspect()).connections).to.be.at.least(1);
        await server.closeConnections();
        expect((await server.inspect()).connections).to.equal(0);
        await maps.patch('a', { data: { round: String(round) } });
      }
      expect((await maps.get('a')).data).to.deep.equal({ round: String(ROUNDS) });
    });
  }

  it('resolves without connections, and with those that are closing already', async () => {
    await using server = new ApiServer();
    await server.closeConnections();
    await server.listen();
    await using client = await connect(server.clientConfig());
    await client.version();
    await Promise.all([server.closeConnections(), server.closeConnections()]);
    expect((await server.inspect()).connections).to.equal(0);
  });
});
