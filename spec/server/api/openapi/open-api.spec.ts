import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { call, discoverable } from '../support.ts';

const V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const V3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

async function addressOf(handler: Parameters<typeof call>[0], path: string): Promise<string> {
  const { paths } = (await call(handler, 'GET', '/openapi/v3')).json() as unknown as Index;
  return paths[path]!.serverRelativeURL;
}

describe('OpenAPI', () => {
  it('lists one document a group and version, each at an address that names its content', async () => {
    const { handler } = discoverable();
    const { headers, json } = await call(handler, 'GET', '/openapi/v3');
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    const { paths } = json() as unknown as Index;
    expect(Object.keys(paths)).to.deep.equal([
      'api',
      'api/v1',
      'apis',
      'apis/example.io/v1',
      'apis/example.io/v1beta1',
      'version',
    ]);
    const url = paths['apis/example.io/v1']!.serverRelativeURL;
    expect(url).to.match(/^\/openapi\/v3\/apis\/example\.io\/v1\?hash=[0-9A-F]{128}$/);
  });

  it('lets clients keep a document whose address has its hash, and sends others to that address', async () => {
    const { handler } = discoverable();
    const url = await addressOf(handler, 'apis/example.io/v1');
    const named = await call(handler, 'GET', url);
    expect(named.headers['cache-control']).to.equal('public, immutable');
    const year = new Date(new VirtualRuntime().wallMs() + 365 * 86_400_000);
    expect(named.headers['expires']).to.equal(year.toUTCString());
    const plain = await call(handler, 'GET', '/openapi/v3/apis/example.io/v1');
    expect(plain.text).to.equal(named.text);
    expect(plain.headers['cache-control']).to.equal('no-cache, private');
    const old = await call(handler, 'GET', '/openapi/v3/apis/example.io/v1?hash=OLD');
    expect([old.status, old.headers['location'], old.text]).to.deep.equal([301, url, '']);
  });

  it('answers 304 to a client that has the document', async () => {
    const { handler } = discoverable();
    for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
      const first = await call(handler, 'GET', path);
      const etag = String(first.headers['etag']);
      expect(etag, path).to.match(/^"[0-9A-F]{128}"$/);
      for (const known of [etag, `"other", W/${etag}`, '*']) {
        const headers = { 'if-none-match': known };
        const again = await call(handler, 'GET', path, { headers });
        expect([again.status, again.text, again.headers['etag']], path).to.deep.equal([
          304,
          '',
          etag,
        ]);
      }
      const other = await call(handler, 'GET', path, { headers: { 'if-none-match': '"other"' } });
      expect(other.status, path).to.equal(200);
    }
  });

  it('is there as protobuf under both names of the type', async () => {
    const { handler } = discoverable();
    for (const [path, asked] of [
      ['/openapi/v2', V2],
      ['/openapi/v3/api/v1', V3],
    ] as const) {
      const type = asked.replace('@v1', '.v1');
      const json = await call(handler, 'GET', path);
      for (const accept of [
        asked,
        type,
        `application/xml, ${asked};q=0.9, application/json;q=0.5`,
      ]) {
        const { status, headers, text } = await call(handler, 'GET', path, { headers: { accept } });
        expect([status, headers['content-type']], accept).to.deep.equal([200, type]);
        expect(text.length, accept).to.be.lessThan(json.text.length);
        expect(headers['etag'], accept).to.equal(json.headers['etag']);
      }
    }
  });

  it('answers 406 without a body when the client accepts neither format', async () => {
    const { handler } = discoverable();
    for (const path of ['/openapi/v2', '/openapi/v3/api/v1']) {
      const headers = { accept: 'application/yaml, text/html' };
      const { status, text } = await call(handler, 'GET', path, { headers });
      expect([status, text], path).to.deep.equal([406, '']);
    }
    const headers = { accept: 'text/html' };
    expect((await call(handler, 'GET', '/openapi/v3', { headers })).status).to.equal(200);
  });

  it('ignores the method', async () => {
    const { handler } = discoverable();
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      expect((await call(handler, method, '/openapi/v3/version')).status, method).to.equal(200);
    }
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
      const parameters = operation['parameters'] as readonly { readonly name: string }[];
      expect(parameters.map(({ name }) => name)).to.include('fieldValidation');
    }
    expect(Object.keys(paths)).to.include(
      '/apis/example.io/v1/namespaces/{namespace}/widgets/{name}/status',
    );
    expect(document['components']).to.have.nested.property('schemas.io\\.example\\.v1\\.Widget');
  });

  it('has no operation for a verb that is not offered, and no schema that nothing refers to', async () => {
    const { handler } = discoverable();
    const document = (await call(handler, 'GET', '/openapi/v3/api/v1')).json();
    expect(document['paths']).to.have.keys('/api/v1/', '/api/v1/nodes');
    expect(document['paths'])
      .to.have.nested.property('/api/v1/nodes')
      .with.keys('get', 'parameters');
    const { schemas } = document['components'] as { schemas: Record<string, object> };
    expect(Object.keys(schemas)).to.include.members([
      'io.k8s.api.core.v1.NodeList',
      'io.k8s.api.core.v1.NodeSpec',
    ]);
    expect(Object.keys(schemas)).not.to.include('io.k8s.api.core.v1.Pod');
  });

  it('is there in version 2 as well', async () => {
    const { handler } = discoverable();
    const document = (await call(handler, 'GET', '/openapi/v2')).json();
    expect(document).to.include({ swagger: '2.0' });
    expect(document['definitions']).to.include.keys(
      'io.example.v1.Widget',
      'io.example.v1.WidgetList',
      'io.example.v1beta1.Widget',
      'io.k8s.api.core.v1.Node',
    );
    expect(document['definitions']).not.to.have.property('io.k8s.api.core.v1.Pod');
  });

  it('follows the registry, and keeps the hash of what has not changed', async () => {
    const { registry, handler } = discoverable();
    const before = await addressOf(handler, 'apis/example.io/v1');
    const core = await addressOf(handler, 'api/v1');
    const { main } = registry.all()[0]!;
    registry.install({ ...main, describe: { ...main.describe, resource: 'gears', kind: 'Gear' } });
    expect(await addressOf(handler, 'apis/example.io/v1')).not.to.equal(before);
    expect(await addressOf(handler, 'api/v1')).to.equal(core);
    const document = (await call(handler, 'GET', '/openapi/v3/apis/example.io/v1')).json();
    expect(document['components']).to.have.nested.property('schemas.io\\.example\\.v1\\.Gear');
    const swagger = (await call(handler, 'GET', '/openapi/v2')).json();
    expect(swagger['definitions']).to.have.property('io.example.v1.Gear');
  });

  it('finds no document under other paths', async () => {
    const { handler } = discoverable();
    for (const [path, text] of [
      ['/openapi', '404 page not found\n'],
      ['/openapi/v1', '404 page not found\n'],
      ['/openapi/v2/', '404 page not found\n'],
      ['/openapi/v2/x', '404 page not found\n'],
      ['/openapi/v3/', ''],
      ['/openapi/v3/apis/other.io/v1', ''],
      ['/openapi/v3/apis/apps/v1', ''],
      ['/openapi/v3/x', ''],
    ] as const) {
      const answer = await call(handler, 'GET', path);
      expect([answer.status, answer.text], path).to.deep.equal([404, text]);
    }
  });
});
