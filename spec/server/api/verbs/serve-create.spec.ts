import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { call } from '../support.ts';

const MAP = '/api/v1/namespaces/default/configmaps/one';

describe('serveUpdate', () => {
  let server: ApiServer;
  beforeEach(() => {
    server = new ApiServer();
  });
  afterEach(() => server.close());

  it('refuses a name that is no text, also an object without a text form', async () => {
    for (const name of [{ toString: {} }, [{ toString: 1 }], 5, true, 'two']) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      const { status, text } = await call(server.handler, 'PUT', MAP, { body });
      expect(status, text).to.equal(400);
    }
  });

  describe('of a lease that is not there', () => {
    const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/one';
    async function put(metadata: object, query = ''): Promise<readonly [number, unknown]> {
      const body = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'one', ...metadata },
        spec: {},
      };
      const { status, json } = await call(server.handler, 'PUT', `${LEASE}${query}`, { body });
      return [status, json()['message']];
    }

    it('creates it for any given resource version', async () => {
      expect(await put({ resourceVersion: '99999999999' })).to.deep.equal([201, undefined]);
    });

    it('refuses what is no resource version', async () => {
      expect(await put({ resourceVersion: 'abc' })).to.deep.equal([
        500,
        'strconv.ParseUint: parsing "abc": invalid syntax',
      ]);
    });

    it('refuses a uid', async () => {
      for (const [query, root] of [
        ['', '/registry'],
        ['?dryRun=All', ''],
      ] as const) {
        const [status, message] = await put({ uid: 'u-1' }, query);
        expect([status, message]).to.deep.equal([
          409,
          `Operation cannot be fulfilled on leases.coordination.k8s.io "one": StorageError: invalid object, Code: 4, Key: ${root}/leases/default/one, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u-1, UID in object meta: `,
        ]);
      }
    });
  });
});
