import { expect } from 'chai';
import { call, discoverable } from './support.ts';

describe('OpenAPI', () => {
  it('lists one document a group and version, each at an address that names its content', async () => {
    const { handler } = discoverable();
    const { paths } = (await call(handler, 'GET', '/openapi/v3')).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).to.deep.equal([
      'api/v1',
      'apis/example.io/v1',
      'apis/example.io/v1beta1',
    ]);
    const url = paths['apis/example.io/v1']!.serverRelativeURL;
    const named = await call(handler, 'GET', url);
    expect(named.headers['cache-control']).to.equal('public, immutable');
    const plain = await call(handler, 'GET', '/openapi/v3/apis/example.io/v1?hash=OLD');
    expect(plain.text).to.equal(named.text);
    expect(plain.headers['cache-control']).to.equal('no-cache, private');
  });

  it('lets kubectl see that the server validates fields', async () => {
    const { handler } = discoverable();
    const document = (await call(handler, 'GET', '/openapi/v3/apis/example.io/v1')).json();
    const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;
    const { patch, put } = paths['/apis/example.io/v1/namespaces/{namespace}/widgets/{name}']!;
    expect(patch!['x-kubernetes-group-version-kind']).to.deep.equal({
      group: 'example.io',
      version: 'v1',
      kind: 'Widget',
    });
    for (const operation of [patch!, put!]) {
      expect(operation['parameters']).to.deep.include({
        name: 'fieldValidation',
        in: 'query',
        schema: { type: 'string' },
      });
    }
    expect(Object.keys(paths)).to.include(
      '/apis/example.io/v1/namespaces/{namespace}/widgets/{name}/status',
    );
    expect(document['components']).to.have.nested.property('schemas.io\\.example\\.v1\\.Widget');
  });

  it('has no operation for a verb that is not offered', async () => {
    const { handler } = discoverable();
    const document = (await call(handler, 'GET', '/openapi/v3/api/v1')).json();
    expect(document['paths']).to.have.nested.property('/api/v1/nodes').with.keys('get');
    expect(document['paths']).to.have.nested.property('/api/v1/nodes/{name}').that.deep.equals({});
  });

  it('is there in version 2 as well, as JSON only', async () => {
    const { handler } = discoverable();
    const answer = await call(handler, 'GET', '/openapi/v2');
    expect(answer.json()).to.include({ swagger: '2.0' });
    expect(answer.json()['definitions']).to.have.keys(
      'io.example.v1.Widget',
      'io.example.v1beta1.Widget',
      'core.v1.Node',
    );
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect((await call(handler, 'GET', '/openapi/v2', { headers: { accept } })).status).to.equal(
      406,
    );
  });

  it('finds no document under other paths', async () => {
    const { handler } = discoverable();
    for (const path of [
      '/openapi',
      '/openapi/v1',
      '/openapi/v2/x',
      '/openapi/v3/apis/other.io/v1',
      '/openapi/v3/x',
    ]) {
      expect((await call(handler, 'GET', path)).status, path).to.equal(404);
    }
  });
});
