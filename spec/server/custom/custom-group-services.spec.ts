import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { Answers } from '../registry/support/answers.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const version = (name: string, served: boolean, storage: boolean): object => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', true, true), version('v2', false, false)],
  },
};

/** The names of the APIServices that the server keeps itself. */
async function kept(api: Answers): Promise<string[]> {
  const { body } = await api.get(`${SERVICES}?labelSelector=${AUTOMANAGED}%3Dtrue`);
  const items = body['items'] as { readonly metadata: { readonly name: string } }[];
  return items.map(({ metadata }) => metadata.name);
}

async function services(api: Answers, count: number): Promise<string[]> {
  await until(`${count} APIServices`, async () => (await kept(api)).length === count);
  return await kept(api);
}

describe('the APIServices of custom resources', () => {
  it('are there for each served version, available at once, and go with their definition', async () => {
    await using api = new Answers();
    await api.post(DEFINITIONS, definition);
    expect(await services(api, 1)).to.deep.equal(['v1.shop.example.com']);
    const { body } = await api.get(`${SERVICES}/v1.shop.example.com`);
    expect(body).to.nested.include({
      'spec.groupPriorityMinimum': 1000,
      'spec.versionPriority': 100,
      'status.conditions[0].reason': 'Local',
    });
    await api.ask('DELETE', `${DEFINITIONS}/things.shop.example.com`);
    expect(await services(api, 0)).to.deep.equal([]);
  });

  it('follow the served versions, and leave an APIService of a user alone', async () => {
    await using api = new Answers();
    const own = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
      },
    };
    expect((await api.post(SERVICES, own)).status).to.equal(201);
    await api.post(DEFINITIONS, definition);
    await api.merge(`${DEFINITIONS}/things.shop.example.com`, {
      spec: { versions: [version('v1', true, true), version('v2', true, false)] },
    });
    expect(await services(api, 1)).to.deep.equal(['v2.shop.example.com']);
    await api.ask('DELETE', `${DEFINITIONS}/things.shop.example.com`);
    expect(await services(api, 0)).to.deep.equal([]);
    expect((await api.get(`${SERVICES}/v1.shop.example.com`)).status).to.equal(200);
  });
});
