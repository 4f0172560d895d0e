import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';
import type { ApiHandler } from '../../../lib/server/api/api-request.ts';
import { compareVersionNames } from '../../../lib/server/api/served-resources.ts';
import {
  call,
  FakeRegistry,
  fakeStorage,
  handlerOf,
  nodes,
  widgets,
  widgetVerbs,
} from './support.ts';

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
/** Word for word what kubectl 1.36 sends. */
const KUBECTL = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;

function rig(): { readonly registry: FakeRegistry; readonly handler: ApiHandler } {
  const verbs = widgetVerbs(new Map());
  const status = fakeStorage({ get: verbs.get!, update: verbs.update! });
  const registry = new FakeRegistry()
    .install(fakeStorage(verbs), { status })
    .install(fakeStorage({ get: verbs.get! }, { ...widgets, version: 'v1beta1' }))
    .install(fakeStorage({ list: verbs.list! }, nodes));
  return { registry, handler: handlerOf(registry, new VirtualRuntime()) };
}

describe('discovery', () => {
  it('answers kubectl with one aggregated document', async () => {
    const { handler } = rig();
    const answer = await call(handler, 'GET', '/apis?timeout=32s', {
      headers: { accept: KUBECTL },
    });
    expect(answer.headers['content-type']).to.equal(aggregated('v2'));
    const kind = { group: 'example.io', version: 'v1', kind: 'Widget' };
    const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update'];
    const resource = {
      resource: 'widgets',
      responseKind: kind,
      scope: 'Namespaced',
      singularResource: 'widget',
      verbs,
      shortNames: ['wd'],
      categories: ['all'],
    };
    expect(answer.json()).to.deep.equal({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: [
        {
          metadata: { name: 'example.io' },
          versions: [
            {
              version: 'v1',
              freshness: 'Current',
              resources: [
                {
                  ...resource,
                  subresources: [
                    {
                      subresource: 'status',
                      responseKind: kind,
                      verbs: ['get', 'patch', 'update'],
                    },
                  ],
                },
              ],
            },
            {
              version: 'v1beta1',
              freshness: 'Current',
              resources: [
                { ...resource, responseKind: { ...kind, version: 'v1beta1' }, verbs: ['get'] },
              ],
            },
          ],
        },
      ],
    });
  });

  it('keeps the core group apart, without a name', async () => {
    const { handler } = rig();
    const answer = await call(handler, 'GET', '/api', {
      headers: { accept: aggregated('v2beta1') },
    });
    expect(answer.headers['content-type']).to.equal(aggregated('v2beta1'));
    const { apiVersion, items } = answer.json() as {
      apiVersion: string;
      items: { metadata: object }[];
    };
    expect(apiVersion).to.equal('apidiscovery.k8s.io/v2beta1');
    expect(items.map(({ metadata }) => metadata)).to.deep.equal([{}]);
  });

  it('says "not modified" until what is served changes', async () => {
    const { registry, handler } = rig();
    const get = (etag: string): ReturnType<typeof call> =>
      call(handler, 'GET', '/apis', { headers: { accept: KUBECTL, 'if-none-match': etag } });
    const etag = String((await get('')).headers['etag']);
    expect(etag).to.match(/^"[0-9A-F]{64}"$/);
    const same = await get(`"other", ${etag}`);
    expect([same.status, same.text, same.headers['etag']]).to.deep.equal([304, '', etag]);
    registry.install(fakeStorage({}, { ...widgets, resource: 'gadgets', kind: 'Gadget' }));
    const changed = await get(etag);
    expect(changed.status).to.equal(200);
    expect(changed.headers['etag']).not.to.equal(etag);
  });

  it('answers older clients with the legacy documents', async () => {
    const { handler } = rig();
    const json = async (path: string): Promise<Record<string, unknown>> =>
      (
        await call(handler, 'GET', path, {
          headers: { host: 'localhost:1', accept: 'application/json, */*' },
        })
      ).json();
    expect(await json('/api')).to.deep.equal({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'localhost:1' }],
    });
    const versions = [
      { groupVersion: 'example.io/v1', version: 'v1' },
      { groupVersion: 'example.io/v1beta1', version: 'v1beta1' },
    ];
    const group = { name: 'example.io', versions, preferredVersion: versions[0] };
    expect(await json('/apis')).to.deep.equal({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [group],
    });
    expect(await json('/apis/example.io')).to.deep.equal({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...group,
    });
    const list = await json('/apis/example.io/v1');
    expect(list['groupVersion']).to.equal('example.io/v1');
    expect(
      (list['resources'] as object[]).map((one) => (one as { name: string }).name),
    ).to.deep.equal(['widgets', 'widgets/status']);
    expect((await json('/api/v1'))['resources']).to.deep.equal([
      {
        name: 'nodes',
        singularName: 'node',
        namespaced: false,
        kind: 'Node',
        verbs: ['list'],
        shortNames: ['no'],
      },
    ]);
  });

  it('finds no group and no version that is not served', async () => {
    const { handler } = rig();
    for (const path of ['/apis/other.io', '/apis/other.io/v1', '/apis/example.io/v7', '/api/v7']) {
      expect((await call(handler, 'GET', path)).status, path).to.equal(404);
    }
  });

  it('refuses forms it does not know', async () => {
    const { handler } = rig();
    const status = async (accept: string): Promise<number> =>
      (await call(handler, 'GET', '/api', { headers: { accept } })).status;
    expect(await status('application/vnd.kubernetes.protobuf')).to.equal(406);
    expect(await status(aggregated('v9'))).to.equal(406);
    expect(await status(`${aggregated('v2')};profile=nopeer`)).to.equal(200);
  });

  it('prefers stable versions to beta to alpha, and newer to older', () => {
    const names = ['v1alpha1', 'foo', 'v1', 'v10', 'v2', 'v2beta2', 'v2beta10', 'v11alpha1', 'bar'];
    expect(names.toSorted(compareVersionNames)).to.deep.equal([
      'v10',
      'v2',
      'v1',
      'v2beta10',
      'v2beta2',
      'v11alpha1',
      'v1alpha1',
      'bar',
      'foo',
    ]);
  });
});

describe('OpenAPI', () => {
  it('lists one document a group and version, each at an address that names its content', async () => {
    const { handler } = rig();
    const { paths } = (await call(handler, 'GET', '/openapi/v3')).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).to.deep.equal([
      'apis/example.io/v1',
      'apis/example.io/v1beta1',
      'api/v1',
    ]);
    const url = paths['apis/example.io/v1']!.serverRelativeURL;
    const named = await call(handler, 'GET', url);
    expect(named.headers['cache-control']).to.equal('public, immutable');
    const plain = await call(handler, 'GET', '/openapi/v3/apis/example.io/v1?hash=OLD');
    expect(plain.text).to.equal(named.text);
    expect(plain.headers['cache-control']).to.equal('no-cache, private');
  });

  it('lets kubectl see that the server validates fields', async () => {
    const { handler } = rig();
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
    const { handler } = rig();
    const document = (await call(handler, 'GET', '/openapi/v3/api/v1')).json();
    expect(document['paths']).to.have.nested.property('/api/v1/nodes').with.keys('get');
    expect(document['paths']).to.have.nested.property('/api/v1/nodes/{name}').that.deep.equals({});
  });

  it('is there in version 2 as well, as JSON only', async () => {
    const { handler } = rig();
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

  it('finds no document of what is not served', async () => {
    const { handler } = rig();
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
