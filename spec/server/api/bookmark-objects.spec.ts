import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { JsonRecord } from '../../../lib/meta/json-value.ts';
import { call } from './support.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const QUERY =
  'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnothing';

/** The cells of a row without an object, as recorded at kube-apiserver 1.36.3. */
const CELLS: Readonly<Record<string, readonly unknown[]>> = {
  '/api/v1/configmaps': ['', 0, '<unknown>'],
  '/api/v1/pods': ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
  '/api/v1/limitranges': ['', '0001-01-01T00:00:00Z'],
  '/api/v1/replicationcontrollers': ['', 0, 0, 0, '<unknown>', '', '', '<none>'],
  '/apis/apps/v1/deployments': ['', '0/0', 0, 0, '<unknown>', '', '', ''],
  '/apis/batch/v1/jobs': ['', 'Running', '0/1', '', '<unknown>', '', '', '<none>'],
  '/apis/rbac.authorization.k8s.io/v1/roles': ['', '0001-01-01T00:00:00Z'],
};

describe('the object of a bookmark', () => {
  let server: ApiServer;

  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  async function bookmark(url: string, accept: string, more = ''): Promise<JsonRecord> {
    const { text } = await call(server.handler, 'GET', `${url}?${QUERY}${more}`, {
      headers: { accept },
    });
    const event = JSON.parse(text.split('\n')[0] as string) as { type: string; object: JsonRecord };
    expect(event.type).to.equal('BOOKMARK');
    return event.object;
  }

  for (const [url, cells] of Object.entries(CELLS)) {
    it(`of ${url} has the cells of an object without values in a table`, async () => {
      const { rows } = await bookmark(url, TABLE);
      expect(rows).to.have.nested.property('[0].cells').that.deep.equals(cells);
      expect(rows).to.have.nested.property('[0].object.kind', 'PartialObjectMetadata');
    });
  }

  it('is whole in a table that shows objects', async () => {
    const { rows } = await bookmark('/api/v1/configmaps', TABLE, '&includeObject=Object');
    expect(rows).to.have.nested.property('[0].object.kind', 'ConfigMap');
  });

  it('has no replicas where the type has none, and 0 where it is a number', async () => {
    const specs: Readonly<Record<string, unknown>> = {
      '/apis/apps/v1/deployments': 0,
      '/apis/apps/v1/replicasets': 0,
      '/apis/apps/v1/statefulsets': 0,
      '/api/v1/replicationcontrollers': undefined,
    };
    for (const [url, replicas] of Object.entries(specs)) {
      const { spec } = await bookmark(url, 'application/json');
      expect((spec as JsonRecord)['replicas'], url).to.equal(replicas);
    }
  });
});
