import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../../lib/meta/object.ts';
import { ApiServer } from '../../../../../lib/cluster/server/api-server.ts';
import { untypedItems } from '../../../../../lib/server/api/verbs/render.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from '../../gadgets.ts';
import { call, storedObject } from '../../support.ts';

const NAMESPACE = '/api/v1/namespaces/default/configmaps';
const CUSTOM = `${GADGETS}/namespaces/default/gadgets`;
const kind = { group: '', version: 'v1', kind: 'ConfigMap' };

/** The names of the fields of each item. */
async function fieldsOf(server: ApiServer, method: string, url: string): Promise<string[][]> {
  const { status, text, json } = await call(server.handler, method, url);
  expect(status, text).to.equal(200);
  return (json()['items'] as object[]).map((item) => Object.keys(item).toSorted());
}

// As kube-apiserver 1.36.3 answers.
describe('items of a list', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = new ApiServer();
    await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    const bodies = [
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"kind":"x"}}',
      '{"data":{"apiVersion":"y"},"kind":"ConfigMap","metadata":{"name":"b"},"apiVersion":"v1"}',
      '{"data":{"kind":"z"},"metadata":{"name":"c"}}',
    ];
    for (const body of bodies) {
      const { status } = await call(server.handler, 'POST', NAMESPACE, { body });
      expect(status).to.equal(201);
    }
    await call(server.handler, 'POST', CUSTOM, { body: { ...GADGET, metadata: { name: 'g' } } });
  });
  afterEach(() => server.close());

  it('of a built-in kind have no kind and apiVersion, in any order of fields', async () => {
    const row = ['data', 'metadata'];
    expect(await fieldsOf(server, 'GET', NAMESPACE)).to.deep.equal([row, row, row]);
    const { json } = await call(server.handler, 'GET', NAMESPACE);
    expect((json()['items'] as { data: object }[]).map(({ data }) => data)).to.deep.equal([
      { kind: 'x' },
      { apiVersion: 'y' },
      { kind: 'z' },
    ]);
    expect(await fieldsOf(server, 'GET', DEFINITIONS)).to.deep.equal([
      ['metadata', 'spec', 'status'],
    ]);
    expect(await fieldsOf(server, 'DELETE', NAMESPACE)).to.deep.equal([row, row, row]);
  });

  it('of a custom resource have both', async () => {
    expect(await fieldsOf(server, 'GET', CUSTOM)).to.deep.equal([
      ['apiVersion', 'kind', 'metadata'],
    ]);
  });

  it('have both in the events of a watch, and as objects', async () => {
    const { text } = await call(server.handler, 'GET', `${NAMESPACE}?watch=1&timeoutSeconds=1`);
    const lines = text.trim().split('\n');
    expect(lines).to.have.length(3);
    for (const line of lines) {
      expect((JSON.parse(line) as { object: object }).object).to.include({
        apiVersion: 'v1',
        kind: 'ConfigMap',
      });
    }
    const { json } = await call(server.handler, 'GET', `${NAMESPACE}/c`);
    expect(json()).to.include({ apiVersion: 'v1', kind: 'ConfigMap' });
  });
});

describe('untypedItems', () => {
  const text = (...objects: UnstructuredObject[]): string =>
    [...untypedItems(objects.map(storedObject), kind)]
      .flat()
      .map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString()))
      .join('');

  it('cuts the type off the bytes if it comes first, in both orders', () => {
    const type = { apiVersion: 'v1', kind: 'ConfigMap' };
    const metadata = { name: 'a' };
    expect(
      text({ ...type, metadata }, { kind: type.kind, apiVersion: type.apiVersion, metadata }),
    ).to.equal('{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}');
  });

  it('writes an object again that has another type or order', () => {
    const metadata = { name: 'a' };
    expect(
      text({ metadata, kind: 'ConfigMap', apiVersion: 'v1' }, { kind: 'Secret', metadata }, {}),
    ).to.equal('{"metadata":{"name":"a"}},{"metadata":{"name":"a"}},{}');
  });
});
