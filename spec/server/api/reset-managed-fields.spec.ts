import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call } from './support.ts';

const PATH = '/api/v1/namespaces/default/secrets';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

// Recorded at kube-apiserver 1.36.3.
describe('an empty list of managed fields', () => {
  let server: ApiServer;

  beforeEach(async () => {
    server = new ApiServer();
    await send('POST', PATH, { metadata: { name: 's' }, data: { a: 'YQ==' } });
  });
  afterEach(() => server.close());

  /** The managers of the object in the answer. */
  async function send(
    method: string,
    url: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<readonly unknown[] | undefined> {
    const { status, json } = await call(server.handler, method, url, { body, headers });
    expect(status, JSON.stringify(json())).to.be.lessThan(300);
    const { managedFields } = json()['metadata'] as { managedFields?: readonly unknown[] };
    return managedFields;
  }

  const resets: Readonly<Record<string, () => Promise<readonly unknown[] | undefined>>> = {
    'an update': () =>
      send('PUT', `${PATH}/s`, { metadata: { name: 's', managedFields: [] }, data: { a: 'Yg==' } }),
    'a merge patch': () => send('PATCH', `${PATH}/s`, { metadata: { managedFields: [] } }, MERGE),
    'a JSON patch': () =>
      send(
        'PATCH',
        `${PATH}/s`,
        [{ op: 'replace', path: '/metadata/managedFields', value: [] }],
        JSON_PATCH,
      ),
  };
  for (const [how, reset] of Object.entries(resets)) {
    it(`in ${how} deletes them, and later updates are not tracked`, async () => {
      expect(await reset()).to.equal(undefined);
      expect(await send('PATCH', `${PATH}/s`, { data: { a: 'Yw==' } }, MERGE)).to.equal(undefined);
    });
  }

  it('in a new object or a status is like none', async () => {
    const metadata = { name: 'n', managedFields: [] };
    expect(await send('POST', PATH, { metadata, data: { a: 'YQ==' } })).to.have.length(1);
    const quotas = '/api/v1/namespaces/default/resourcequotas';
    await send('POST', quotas, { metadata, spec: { hard: { pods: '1' } } });
    const status = { hard: { pods: '1' } };
    expect(await send('PUT', `${quotas}/n/status`, { metadata, status })).to.have.length(2);
  });
});
