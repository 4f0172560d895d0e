import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../../lib/server/api/api-server-options.ts';
import { noKinds } from '../../../lib/server/api/no-kinds.ts';
import { recordsAt, textAt, valueAt } from '../../../lib/meta/json-value.ts';
import { definition, widget } from '../custom/widget-definition.ts';
import { HttpApi } from './http-api.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.io/v1/namespaces/shop/widgets';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

describe('an ApiServer without kinds', () => {
  let api: HttpApi;

  beforeEach(async () => {
    api = await HttpApi.start({ kinds: noKinds });
  });

  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  const ask = async (method: string, url: string, body?: object): Promise<Answer> => {
    const { status, text } = await api.call(
      url,
      body === undefined ? { method } : { method, body },
    );
    return { status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  const create = async (url: string, body: object): Promise<Answer> => await ask('POST', url, body);
  const crd = (): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    ...definition(),
  });
  const namespace = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  const resourcesOf = async (path: string): Promise<string[]> => {
    const { body } = await ask('GET', path);
    return recordsAt(body, 'resources').map((one) => textAt(one, 'name'));
  };

  it('serves namespaces and custom resource definitions alone', async () => {
    expect(await resourcesOf('/api/v1')).to.deep.equal([
      'namespaces',
      'namespaces/finalize',
      'namespaces/status',
    ]);
    expect(await resourcesOf('/apis/apiextensions.k8s.io/v1')).to.deep.equal([
      'customresourcedefinitions',
      'customresourcedefinitions/status',
    ]);
    expect((await ask('GET', '/api/v1/namespaces/default/pods')).status).to.equal(404);
  });

  it('has the default namespaces, and makes others by the rules of the kind', async () => {
    const { body } = await ask('GET', '/api/v1/namespaces');
    const names = recordsAt(body, 'items').map((one) => textAt(one, 'metadata', 'name'));
    expect(names).to.include('default').and.to.include('kube-system');
    const made = await create('/api/v1/namespaces', namespace('shop'));
    expect(made.status).to.equal(201);
    expect(valueAt(made.body, 'metadata', 'labels')).to.deep.equal({
      'kubernetes.io/metadata.name': 'shop',
    });
    expect(valueAt(made.body, 'spec')).to.deep.equal({ finalizers: ['kubernetes'] });
    expect(valueAt(made.body, 'status')).to.deep.equal({ phase: 'Active' });
    expect((await create('/api/v1/namespaces', namespace('Shop'))).status).to.equal(422);
  });

  it('serves custom resources as soon as their definitions are there', async () => {
    expect((await create(WIDGETS, widget('gear'))).status).to.equal(404);
    await create('/api/v1/namespaces', namespace('shop'));
    expect((await create(DEFINITIONS, crd())).status).to.equal(201);
    const made = await create(WIDGETS, widget('gear'));
    expect(made.status).to.equal(201);
    const { body } = await ask('GET', WIDGETS);
    expect(recordsAt(body, 'items').map((one) => textAt(one, 'metadata', 'name'))).to.deep.equal([
      'gear',
    ]);
    expect((await create(DEFINITIONS, { ...crd(), spec: {} })).status).to.equal(422);
  });

  it('deletes a definition with its objects', async () => {
    await create('/api/v1/namespaces', namespace('shop'));
    await create(DEFINITIONS, crd());
    await create(WIDGETS, widget('gear'));
    await using watch = await api.watch(
      'fieldSelector=metadata.name=widgets.example.io',
      DEFINITIONS,
    );
    expect((await ask('DELETE', `${DEFINITIONS}/widgets.example.io`)).status).to.equal(200);
    const lines = await watch.until((seen) => seen.at(-1)?.type === 'DELETED');
    expect(lines.map(({ type }) => type)).to.include('MODIFIED');
    expect((await ask('GET', WIDGETS)).status).to.equal(404);
  });

  it('refuses something else than a set of kinds', () => {
    for (const kinds of ['none', [], {}, null]) {
      expect(() => new ApiServer({ kinds } as unknown as ApiServerOptions))
        .to.throw(ListwatchError, /kinds.*builtInKinds or noKinds/)
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
