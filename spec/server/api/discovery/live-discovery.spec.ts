import { expect } from 'chai';
import {
  builtInVersions,
  type BuiltInVersion,
} from '../../../../lib/meta/surface/built-in-surface.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { call } from '../support.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: object;
}

function definition(
  plural: string,
  kind: string,
  group: string,
  {
    versions,
    ...names
  }: { readonly versions: readonly Version[]; readonly [name: string]: unknown },
): object {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: versions.map((version) => ({ ...version, schema: { openAPIV3Schema } })),
    },
  };
}

const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
};
const zebras = definition('zebras', 'Zebra', 'h3.example.com', {
  shortNames: ['zb'],
  categories: ['all', 'h3'],
  versions: [
    { name: 'v1beta1', served: true, storage: false, subresources },
    { name: 'v1', served: true, storage: true },
    { name: 'v2alpha1', served: true, storage: false },
    { name: 'v10', served: false, storage: false },
  ],
});
const bees = definition('bees', 'Bee', 'a3.example.com', {
  versions: [
    { name: 'v2', served: false, storage: true },
    { name: 'foo1', served: true, storage: false },
    { name: 'v1', served: true, storage: false },
  ],
});

/** Recorded from kube-apiserver 1.36.3. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const ZEBRA = {
  name: 'zebras',
  singularName: 'zebra',
  namespaced: true,
  kind: 'Zebra',
  verbs: VERBS,
  shortNames: ['zb'],
  categories: ['all', 'h3'],
  storageVersionHash: 'YnK0VyXMHRE=',
};
const OF_SUBRESOURCE = { singularName: '', namespaced: true, verbs: ['get', 'patch', 'update'] };

class Client {
  readonly server: ApiServer;

  constructor(server: ApiServer) {
    this.server = server;
  }

  async get(path: string, accept = 'application/json'): Promise<Record<string, unknown>> {
    return (await call(this.server.handler, 'GET', path, { headers: { accept } })).json();
  }

  async status(method: string, path: string): Promise<string> {
    const { status, headers } = await call(this.server.handler, method, path);
    return `${status} ${String(headers['content-type']).split(';', 1)[0]}`;
  }

  async create(body: object): Promise<void> {
    const { status, text } = await call(this.server.handler, 'POST', DEFINITIONS, { body });
    expect(status, text).to.equal(201);
  }

  async groups(): Promise<string[]> {
    const { groups } = (await this.get('/apis')) as {
      readonly groups: { readonly name: string }[];
    };
    return groups.map(({ name }) => name);
  }
}

function listed({ group, version, resources }: BuiltInVersion): object[] {
  return resources.flatMap((one) => [
    {
      name: one.resource,
      singularName: one.singular,
      namespaced: one.namespaced,
      kind: one.kind,
      verbs: one.verbs,
      ...(one.shortNames.length === 0 ? {} : { shortNames: one.shortNames }),
      ...(one.categories.length === 0 ? {} : { categories: one.categories }),
      ...(one.storageVersionHash === undefined
        ? {}
        : { storageVersionHash: one.storageVersionHash }),
    },
    ...one.subresources.map((sub) => ({
      name: `${one.resource}/${sub.name}`,
      singularName: '',
      namespaced: one.namespaced,
      ...(sub.group === group && sub.version === version
        ? {}
        : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ]);
}

describe('the discovery of a server', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(() => {
    server = new ApiServer();
    client = new Client(server);
  });

  afterEach(async () => {
    await server.close();
  });

  it('lists what kube-apiserver lists by default, in its order', async () => {
    for (const version of builtInVersions()) {
      const { group, version: name } = version;
      const path = group === '' ? `/api/${name}` : `/apis/${group}/${name}`;
      expect((await client.get(path))['resources'], path).to.deep.equal(listed(version));
    }
    const groups = new Set(builtInVersions().map(({ group }) => group));
    expect(await client.groups()).to.deep.equal([...groups].filter((group) => group !== ''));
  });

  it('lists groups by priority, those of custom resources last', async () => {
    await client.create(zebras);
    await client.create(bees);
    const groups = await client.groups();
    expect(groups[0]).to.equal('apiregistration.k8s.io');
    expect(groups.slice(-3)).to.deep.equal([
      'storagemigration.k8s.io',
      // By the names of their APIServices: foo1.a3.example.com, v1.h3.example.com.
      'a3.example.com',
      'h3.example.com',
    ]);
  });

  it('lists the served versions of a custom resource with what each has', async () => {
    await client.create(zebras);
    const { versions } = await client.get('/apis/h3.example.com');
    expect(
      (versions as { readonly version: string }[]).map(({ version }) => version),
    ).to.deep.equal(['v1', 'v1beta1', 'v2alpha1']);
    expect(await client.get('/apis/h3.example.com/v1')).to.deep.equal({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'h3.example.com/v1',
      resources: [ZEBRA],
    });
    const { resources } = await client.get('/apis/h3.example.com/v1beta1');
    expect(resources).to.deep.equal([
      ZEBRA,
      { name: 'zebras/status', ...OF_SUBRESOURCE, kind: 'Zebra' },
      {
        name: 'zebras/scale',
        ...OF_SUBRESOURCE,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
      },
    ]);
    expect(await client.status('GET', '/apis/h3.example.com/v10')).to.equal('404 text/plain');
  });

  it('names no storage version that is not served', async () => {
    await client.create(bees);
    const { resources } = await client.get('/apis/a3.example.com/v1');
    expect((resources as object[])[0]).not.to.have.property('storageVersionHash');
  });

  it('serves documents of custom resources and of groups for every method', async () => {
    await client.create(zebras);
    for (const path of [
      '/apis',
      '/apis/apps',
      '/apis/h3.example.com',
      '/apis/h3.example.com/v1/',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        expect(await client.status(method, path), `${method} ${path}`).to.match(/^200/);
      }
    }
    for (const path of ['/api', '/api/v1', '/apis/apps/v1']) {
      for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        expect(await client.status(method, path), `${method} ${path}`).to.match(/^405/);
      }
    }
    expect(await client.status('POST', '/apis/nope.example.com')).to.equal('404 text/plain');
    expect(await client.status('DELETE', '/apis/apps/v9')).to.equal('404 application/json');
  });

  it('changes its tag, and may be cached, when a definition comes and goes', async () => {
    const tag = async (): Promise<string> => {
      const { headers } = await call(server.handler, 'GET', '/apis', {
        headers: { accept: AGGREGATED },
      });
      expect(headers['cache-control']).to.equal('public');
      expect(headers['vary']).to.equal('Accept');
      return String(headers['etag']);
    };
    const before = await tag();
    await client.create(zebras);
    const during = await tag();
    expect(during).not.to.equal(before);
    await call(server.handler, 'DELETE', `${DEFINITIONS}/zebras.h3.example.com`);
    while ((await client.groups()).includes('h3.example.com')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await tag()).to.equal(before);
  });
});
