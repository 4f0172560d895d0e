import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from './gadgets.ts';
import { call } from './support.ts';

/** Recorded at kube-apiserver 1.36.3. */
const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server does not allow this method on the requested resource',
  reason: 'MethodNotAllowed',
  details: {},
  code: 405,
};

describe('methods that a path does not allow', () => {
  let server: ApiServer;
  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  it('are refused with the Status of kube-apiserver', async () => {
    for (const [method, path] of [
      ['POST', '/api'],
      ['POST', '/version'],
      ['POST', '/api/v1'],
      ['POST', '/apis/apps/v1'],
      ['DELETE', '/api/v1/pods'],
      ['DELETE', '/api/v1/configmaps'],
      ['DELETE', '/api/v1/namespaces'],
      ['DELETE', '/api/v1/namespaces?labelSelector=a%3Db'],
      ['DELETE', '/apis/apps/v1/namespaces/default/deployments/s/scale'],
    ] as const) {
      const { status, text, json } = await call(server.handler, method, path);
      expect(status, `${method} ${path}: ${text}`).to.equal(405);
      expect(json(), `${method} ${path}`).to.deep.equal(REFUSED);
    }
  });

  it('are refused only where the path exists', async () => {
    for (const path of [
      '/api/v1/namespaces/default/nodes',
      '/api/v1/namespaces/default/nodes/n',
      '/api/v1/configmaps/a',
      '/apis/apps/v1/deployments/d',
      '/apis/apps/v1/nope',
    ]) {
      for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH']) {
        const { status } = await call(server.handler, method, path);
        expect(status, `${method} ${path}`).to.equal(404);
      }
    }
  });

  it('are not verbs of the resource in discovery', async () => {
    const { json } = await call(server.handler, 'GET', '/api/v1');
    const resources = json()['resources'] as { name: string; verbs: string[] }[];
    expect(resources.find(({ name }) => name === 'namespaces')?.verbs).to.deep.equal([
      'create',
      'delete',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
    expect(resources.find(({ name }) => name === 'nodes')?.verbs).to.include('deletecollection');
  });

  it('do not delete the objects of all namespaces', async () => {
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const maps = '/api/v1/namespaces/default/configmaps';
    await call(server.handler, 'POST', maps, { body: { metadata: { name: 'a' } } });
    const custom = `${GADGETS}/namespaces/default/gadgets`;
    await call(server.handler, 'POST', custom, { body: { ...GADGET, metadata: { name: 'a' } } });

    const { status: core } = await call(server.handler, 'DELETE', '/api/v1/configmaps');
    expect(core).to.equal(405);
    const { status, text } = await call(server.handler, 'DELETE', `${GADGETS}/gadgets`);
    expect([status, text]).to.deep.equal([404, '404 page not found\n']);
    expect((await call(server.handler, 'GET', `${maps}/a`)).status).to.equal(200);
    expect((await call(server.handler, 'GET', `${custom}/a`)).status).to.equal(200);
    expect((await call(server.handler, 'DELETE', custom)).status).to.equal(200);
    expect((await call(server.handler, 'GET', `${custom}/a`)).status).to.equal(404);
  });
});
