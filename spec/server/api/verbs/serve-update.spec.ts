import { expect } from 'chai';
import { ApiServer } from '../../../../lib/server/api/api-server.ts';
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
});
