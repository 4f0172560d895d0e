import { expect } from 'chai';
import { compareVersionNames } from '../../../../lib/meta/versions/version-names.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGETS, gadgets } from '../gadgets.ts';
import { call, discoverable, fakeStorage, widgets } from '../support.ts';

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
/** Word for word what kubectl 1.36 sends. */
const KUBECTL = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;

interface Entry {
  readonly resource: string;
  readonly responseKind: object;
  readonly subresources?: readonly Entry[];
}

describe('discovery', () => {
  it('answers kubectl with one aggregated document', async () => {
    const { handler } = discoverable();
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
    const { handler } = discoverable();
    const answer = await call(handler, 'GET', '/api', {
      headers: { accept: aggregated('v2') },
    });
    expect(answer.headers['content-type']).to.equal(aggregated('v2'));
    const { apiVersion, items } = answer.json() as {
      apiVersion: string;
      items: { metadata: object }[];
    };
    expect(apiVersion).to.equal('apidiscovery.k8s.io/v2');
    expect(items.map(({ metadata }) => metadata)).to.deep.equal([{}]);
  });

  it('says "not modified" until what is served changes', async () => {
    const { registry, handler } = discoverable();
    const get = (etag: string): ReturnType<typeof call> =>
      call(handler, 'GET', '/apis', { headers: { accept: KUBECTL, 'if-none-match': etag } });
    const etag = String((await get('')).headers['etag']);
    expect(etag).to.match(/^"[0-9A-F]{128}"$/);
    const same = await get(etag);
    expect([same.status, same.text, same.headers['etag']]).to.deep.equal([304, '', etag]);
    // kube-apiserver knows one tag, word for word.
    for (const other of [`"other", ${etag}`, `W/${etag}`, '*', etag.toLowerCase()]) {
      expect((await get(other)).status, other).to.equal(200);
    }
    registry.install(fakeStorage({}, { ...widgets, resource: 'gadgets', kind: 'Gadget' }));
    const changed = await get(etag);
    expect(changed.status).to.equal(200);
    expect(changed.headers['etag']).not.to.equal(etag);
  });

  it('answers older clients with the legacy documents', async () => {
    const { handler } = discoverable();
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
    const { handler } = discoverable();
    for (const path of ['/apis/other.io', '/apis/other.io/v1', '/apis/example.io/v7', '/api/v7']) {
      expect((await call(handler, 'GET', path)).status, path).to.equal(404);
    }
  });

  it('has group and version of a subresource of another group, as kube-apiserver 1.36.3 has', async () => {
    await using server = new ApiServer();
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    const verbs = ['get', 'patch', 'update'];
    const common = { singularName: '', namespaced: true, verbs };
    const legacy = async (path: string, of: string): Promise<unknown> => {
      const { resources } = (await call(server.handler, 'GET', path)).json();
      return (resources as { name: string }[]).filter(({ name }) => name.startsWith(`${of}/`));
    };
    expect(await legacy('/apis/apps/v1', 'deployments')).to.deep.equal([
      { name: 'deployments/scale', ...common, ...scale },
      { name: 'deployments/status', ...common, kind: 'Deployment' },
    ]);
    expect(await legacy(GADGETS, 'gadgets')).to.deep.equal([
      { name: 'gadgets/status', ...common, kind: 'Gadget' },
      { name: 'gadgets/scale', ...common, ...scale },
    ]);
    const { items } = (
      await call(server.handler, 'GET', '/apis', { headers: { accept: KUBECTL } })
    ).json() as { items: { versions: { resources: Entry[] }[] }[] };
    const kindsOf = (of: string): unknown => {
      const all = items.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
      const found = all.find(({ resource }) => resource === of);
      return [found?.responseKind, ...(found?.subresources ?? []).map((one) => one.responseKind)];
    };
    const own = { group: '', version: '', kind: 'Deployment' };
    expect(kindsOf('deployments')).to.deep.equal([own, scale, own]);
    const gadget = { group: 'h3.example.com', version: 'v1', kind: 'Gadget' };
    expect(kindsOf('gadgets')).to.deep.equal([gadget, gadget, scale]);
  });

  it('refuses forms it does not know', async () => {
    const { handler } = discoverable();
    const status = async (accept: string): Promise<number> =>
      (await call(handler, 'GET', '/api', { headers: { accept } })).status;
    expect(await status('application/cbor')).to.equal(406);
    expect(await status(aggregated('v9'))).to.equal(406);
    expect(await status(aggregated('v2beta1'))).to.equal(406);
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
