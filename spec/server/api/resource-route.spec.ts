import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGETS, gadgets } from './gadgets.ts';
import { call } from './support.ts';

const PAGE = '404 404 page not found\n';
const UNKNOWN = '404 the server could not find the requested resource';
const METHOD = '405 the server does not allow this method on the requested resource';
const NAME = '400 name must be provided';
const ABSENT = '404 gadgets.h3.example.com "x" not found';
const unsupported = (verb: string): string =>
  `405 ${verb} is not supported on resources of kind "gadgets.h3.example.com"`;

/** Recorded at kube-apiserver 1.36.3. */
const rows: readonly [method: string, path: string, answer: string][] = [
  ['POST', '/api/v1/configmaps', METHOD],
  ['PUT', '/api/v1/configmaps', METHOD],
  ['PUT', '/api/v1/configmaps/x', UNKNOWN],
  ['HEAD', '/api/v1/configmaps/x', '404 '],
  ['GET', '/api/v1/namespaces/default/nodes', UNKNOWN],
  ['PATCH', '/api/v1/namespaces/default/nodes', UNKNOWN],
  ['POST', '/apis/apps/v1/deployments', METHOD],
  ['OPTIONS', '/apis/apps/v1/nope', UNKNOWN],
  ['GET', '/api/v1/nodes/x/proxy?dryRun=All', '400 dryRun is not supported'],
  ['OPTIONS', '/api/v1/namespaces/default/pods/x/proxy?dryRun=All', '400 dryRun is not supported'],
  ['HEAD', '/api/v1/namespaces/default/services/x/proxy?dryRun=All', '400 '],
  ['GET', '/api/v1/namespaces/default/pods/x/exec?dryRun=All', '400 dryRun is not supported'],
  ['DELETE', '/api/v1/namespaces/default/pods/x/exec', METHOD],
  ['POST', `${GADGETS}/gadgets`, PAGE],
  ['PUT', `${GADGETS}/gadgets`, PAGE],
  ['OPTIONS', `${GADGETS}/gadgets`, PAGE],
  ['DELETE', `${GADGETS}/gadgets`, PAGE],
  ['GET', `${GADGETS}/gadgets/x`, PAGE],
  ['PUT', `${GADGETS}/namespaces/default/gadgets`, NAME],
  ['PATCH', `${GADGETS}/namespaces/default/gadgets`, NAME],
  ['OPTIONS', `${GADGETS}/namespaces/default/gadgets`, unsupported('')],
  ['POST', `${GADGETS}/namespaces/default/gadgets/x/status`, unsupported('create')],
  ['DELETE', `${GADGETS}/namespaces/default/gadgets/x/scale`, unsupported('delete')],
  ['GET', `${GADGETS}/namespaces/default/gadgets/x/nope`, ABSENT],
  ['PUT', `${GADGETS}/namespaces/default/gadgets/x/nope`, ABSENT],
  ['HEAD', `${GADGETS}/namespaces/default/gadgets/x`, '404 '],
  ['HEAD', `${GADGETS}/namespaces/default/gadgets`, '200 '],
  ['HEAD', `${GADGETS}/gadgets`, '200 '],
];

describe('the route of a request', () => {
  it('decides between an unknown path and an unknown method as kube-apiserver does', async () => {
    await using server = new ApiServer();
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    for (const [method, path, answer] of rows) {
      const { status, text } = await call(server.handler, method, path);
      expect(`${status} ${messageOf(method, text)}`, `${method} ${path}`).to.equal(answer);
    }
  });

  it('leads to the objects of all namespaces if the namespace in the path is empty', async () => {
    await using server = new ApiServer();
    const { status, json } = await call(server.handler, 'GET', '/api/v1/namespaces//configmaps');
    expect([status, json()['kind']]).to.deep.equal([200, 'ConfigMapList']);
  });
});

/** Answers to HEAD are sent without their body. */
function messageOf(method: string, text: string): string {
  if (method === 'HEAD') return '';
  return text.startsWith('{') ? (JSON.parse(text) as { message: string }).message : text;
}

describe('the scale of a replication controller', () => {
  it('has the labels of its selector as text', async () => {
    await using server = new ApiServer();
    const path = '/api/v1/namespaces/default/replicationcontrollers';
    const spec = {
      replicas: 2,
      selector: { b: 'c', a: 'b' },
      template: {
        metadata: { labels: { a: 'b', b: 'c' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    };
    const body = { metadata: { name: 'x' }, spec };
    expect((await call(server.handler, 'POST', path, { body })).status).to.equal(201);
    const { json } = await call(server.handler, 'GET', `${path}/x/scale`);
    expect(json()).to.deep.include({
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'a=b,b=c' },
    });
  });
});
