import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, gadgets } from './gadgets.ts';
import { call } from './support.ts';

describe('the paths that are no resources', () => {
  let server: ApiServer;
  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  it('are listed at the root, with those of custom resources', async () => {
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    for (const path of ['/', '/index.html']) {
      const { paths } = (await call(server.handler, 'GET', path)).json() as { paths: string[] };
      expect(paths).to.deep.equal(paths.toSorted());
      expect(paths).to.include.members([
        '/api',
        '/api/v1',
        '/.well-known/openid-configuration',
        '/apis',
        '/apis/',
        '/openid/v1/jwks',
        '/apis/apps',
        '/apis/apps/v1',
        '/apis/h3.example.com',
        '/apis/h3.example.com/v1',
        '/healthz',
        '/livez/etcd',
        '/openapi/v2',
        '/openapi/v3',
        '/readyz/poststarthook/storage-readiness',
        '/version',
      ]);
    }
  });

  it('are all there', async () => {
    const { paths } = (await call(server.handler, 'GET', '/')).json() as { paths: string[] };
    // Kubernetes lists this prefix, and has no document of an empty name.
    for (const path of paths.filter((one) => one !== '/openapi/v3/')) {
      expect((await call(server.handler, 'GET', path)).status, path).to.equal(200);
    }
  });

  it('accept the methods that they accept in kube-apiserver', async () => {
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    for (const path of [
      '/',
      '/apis',
      '/apis/apps',
      '/apis/h3.example.com/v1',
      '/healthz',
      '/livez/ping',
      '/openapi/v2',
      '/openapi/v3',
    ]) {
      expect((await call(server.handler, 'POST', path)).status, path).to.equal(200);
      expect((await call(server.handler, 'HEAD', path)).status, path).to.equal(200);
    }
    for (const path of ['/api', '/api/v1', '/apis/apps/v1', '/version']) {
      expect((await call(server.handler, 'POST', path)).status, path).to.equal(405);
      expect((await call(server.handler, 'HEAD', path)).status, path).to.equal(405);
    }
    expect((await call(server.handler, 'POST', '/apis/apps/v9')).status).to.equal(404);
  });

  it('serve the issuer and the keys of the tokens of service accounts', async () => {
    const headers = { host: '127.0.0.1:6443' };
    const path = '/.well-known/openid-configuration';
    const configuration = await call(server.handler, 'GET', path, { headers });
    expect(configuration.headers['cache-control']).to.equal('public, max-age=3600');
    expect(configuration.json()).to.deep.equal({
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: 'https://127.0.0.1:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = await call(server.handler, 'GET', '/openid/v1/jwks');
    expect(keys.headers['content-type']).to.equal('application/jwk-set+json');
    expect(keys.json()).to.deep.equal(server.serviceAccountKeys());
    expect((await call(server.handler, 'POST', '/openid/v1/jwks')).status).to.equal(405);
    for (const [path, accept, status] of [
      ['/openid/v1/jwks', 'application/json', 406],
      ['/openid/v1/jwks', 'application/jwk-set+json', 200],
      ['/.well-known/openid-configuration', 'text/plain', 406],
    ] as const) {
      const answer = await call(server.handler, 'GET', path, { headers: { accept } });
      expect(answer.status, accept).to.equal(status);
    }
    expect((await call(server.handler, 'GET', '/openid/v1')).status).to.equal(404);
  });
});
