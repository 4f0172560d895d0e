import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, gadgets } from './gadgets.ts';

const ENDPOINTS =
  '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';

describe('a version that is to be served no longer', () => {
  let server: ApiServer;

  beforeEach(async () => {
    server = new ApiServer();
    await server.listen();
  });

  afterEach(async () => {
    await server.close();
  });

  const ask = async (path: string, body?: object): Promise<[number, string | null]> => {
    const response = await fetch(`${server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return [response.status, response.headers.get('warning')];
  };

  it('is warned of in each answer, also in a refusal', async () => {
    const path = '/api/v1/namespaces/default/endpoints';
    expect(await ask(path)).to.deep.equal([200, ENDPOINTS]);
    expect(await ask(`${path}/none`)).to.deep.equal([404, ENDPOINTS]);
    expect(await ask('/api/v1/namespaces/default/services')).to.deep.equal([200, null]);
  });

  for (const [own, warning] of [
    [undefined, 'h3.example.com/v1 Gadget is deprecated'],
    ['use a widget', 'use a widget'],
  ] as const) {
    it(`is warned of as ${own === undefined ? 'its names say' : 'its definition says'}`, async () => {
      const { spec, ...rest } = gadgets as { readonly spec: { readonly versions: object[] } };
      const versions = spec.versions.map((one) => ({
        ...one,
        deprecated: true,
        ...(own === undefined ? {} : { deprecationWarning: own }),
      }));
      expect(await ask(DEFINITIONS, { ...rest, spec: { ...spec, versions } })).to.deep.equal([
        201,
        null,
      ]);
      expect(await ask('/apis/h3.example.com/v1/gadgets')).to.deep.equal([
        200,
        `299 - "${warning}"`,
      ]);
    });
  }
});
