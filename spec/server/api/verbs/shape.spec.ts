import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { call } from '../support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const NO_LIST =
  'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)';
const NO_OBJECT =
  'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)';
const NO_ROWS =
  "Unable to convert to Table as requested: includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty";

function configMap(name: string, k: string, finalizers: readonly string[] = []): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers }, data: { k } };
}

interface Case {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly type?: string;
  readonly body?: object;
  readonly refusal: readonly [status: number, message: string];
  /** The objects afterwards. */
  readonly left: readonly string[];
}

/** As kube-apiserver v1.36.3 answered them. */
const CASES: readonly Case[] = [
  {
    title: 'a create',
    method: 'POST',
    path: '',
    accept: LIST,
    body: configMap('two', '1'),
    refusal: [406, NO_LIST],
    left: ['one 1', 'two 1'],
  },
  {
    title: 'a create with unknown rows',
    method: 'POST',
    path: '?includeObject=x',
    accept: TABLE,
    body: configMap('two', '1'),
    refusal: [400, NO_ROWS],
    left: ['one 1', 'two 1'],
  },
  {
    title: 'an update',
    method: 'PUT',
    path: '/one',
    accept: LIST,
    body: configMap('one', '2', ['a.b/c']),
    refusal: [406, NO_LIST],
    left: ['one 2'],
  },
  {
    title: 'a patch',
    method: 'PATCH',
    path: '/one',
    accept: LIST,
    type: 'application/merge-patch+json',
    body: { data: { k: '3' } },
    refusal: [406, NO_LIST],
    left: ['one 3'],
  },
  {
    title: 'a deletion that waits for a finalizer',
    method: 'DELETE',
    path: '/one',
    accept: LIST,
    refusal: [406, NO_LIST],
    left: ['one 1 deleting'],
  },
  {
    title: 'a deletion of a collection',
    method: 'DELETE',
    path: '',
    accept: OBJECT,
    refusal: [406, NO_OBJECT],
    left: ['one 1 deleting'],
  },
];

describe('an answer of a shape that it cannot have', () => {
  let server: ApiServer;

  beforeEach(async () => {
    server = new ApiServer();
    const body = configMap('one', '1', ['a.b/c']);
    await call(server.handler, 'POST', MAPS, { body });
  });

  afterEach(async () => {
    await server.close();
  });

  async function left(): Promise<string[]> {
    const { items } = (await call(server.handler, 'GET', MAPS)).json() as {
      items: { metadata: { name: string; deletionTimestamp?: string }; data: { k: string } }[];
    };
    return items.map(
      ({ metadata: { name, deletionTimestamp }, data }) =>
        `${name} ${data.k}${deletionTimestamp === undefined ? '' : ' deleting'}`,
    );
  }

  for (const one of CASES) {
    it(`is refused after the write: ${one.title}`, async () => {
      const { method, path, accept, type = 'application/json', refusal } = one;
      const headers = { accept, 'content-type': type };
      const answer = await call(server.handler, method, MAPS + path, {
        headers,
        ...(one.body === undefined ? {} : { body: one.body }),
      });
      expect([answer.status, answer.json()['message']]).to.deep.equal(refusal);
      expect(await left()).to.deep.equal(one.left);
    });
  }

  it('is a Status in each shape when the object is gone', async () => {
    await call(server.handler, 'POST', MAPS, { body: configMap('two', '1') });
    const headers = { accept: LIST };
    const { status, json } = await call(server.handler, 'DELETE', `${MAPS}/two`, { headers });
    expect([status, json()['kind'], json()['status']]).to.deep.equal([200, 'Status', 'Success']);
  });
});
