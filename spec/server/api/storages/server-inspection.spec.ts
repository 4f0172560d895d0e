import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { RequestRecord } from '../../../../lib/server/api/port/request-record.ts';
import { until } from '../../../support/until.ts';

describe('ApiServer.inspect', () => {
  it('has revisions, connections, faults, and the caches of resources that were read', async () => {
    await using server = new ApiServer();
    expect(await server.inspect()).to.include({ connections: 0, faults: 0 });
    await server.listen();
    await using client = await connect(server.clientConfig());
    const secrets = client.resource('v1', 'secrets', { namespace: 'default' });
    await secrets.list();
    const { metadata } = await secrets.create({ metadata: { name: 'a' } });
    server.faults.add({ match: { verb: 'delete' }, reset: true });
    const state = await server.inspect();
    expect(state).to.include({ url: server.url, revision: metadata.resourceVersion, faults: 1 });
    expect(state.connections).to.be.greaterThan(0);
    const find = (name: string) => state.resources.find(({ resource }) => resource === name);
    await until('the event', async () => {
      const { resources } = await server.inspect();
      return resources.find(({ resource }) => resource === 'secrets')?.cache?.objectCount === 1;
    });
    expect(find('secrets')?.cache).to.include({ readiness: 'ready', watcherCount: 0 });
    expect(find('deployments'), 'nothing has read it').to.deep.equal({
      group: 'apps',
      resource: 'deployments',
    });
    await server.compact();
    expect((await server.inspect()).compactedRevision).to.equal(metadata.resourceVersion);
  });
});

describe('ApiServer.observeRequests', () => {
  it('reports each request until it is closed, beside the option onRequest', async () => {
    const given: RequestRecord[] = [];
    await using server = new ApiServer({ onRequest: (record) => given.push(record) });
    await server.listen();
    await using client = await connect(server.clientConfig());
    const namespaces = client.resource('v1', 'namespaces');
    const observed: RequestRecord[] = [];
    const end = server.observeRequests((record) => observed.push(record));
    await namespaces.list();
    await until('the record', () => observed.length === 1 && given.length === 1);
    expect(observed[0]).to.include({ method: 'GET', url: '/api/v1/namespaces', status: 200 });
    end();
    await namespaces.list();
    await until('the other record', () => given.length === 2);
    expect(observed).to.have.length(1);
  });
});
