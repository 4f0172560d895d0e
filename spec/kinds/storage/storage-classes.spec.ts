import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call } from '../../server/api/support.ts';

const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses';

describe('volume attributes classes', () => {
  it('stay after their deletion until their finalizer is gone, as with kube-apiserver 1.36.3', async () => {
    await using server = new ApiServer();
    const body = { metadata: { name: 'a' }, driverName: 'x.example.com', parameters: { a: 'b' } };
    const { json } = await call(server.handler, 'POST', CLASSES, { body });
    expect(json()['metadata']).to.deep.include({ finalizers: ['kubernetes.io/vac-protection'] });
    const removed = await call(server.handler, 'DELETE', `${CLASSES}/a`);
    expect(removed.json()['metadata']).to.have.property('deletionTimestamp');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const options = { headers, body: { metadata: { finalizers: null } } };
    await call(server.handler, 'PATCH', `${CLASSES}/a`, options);
    expect((await call(server.handler, 'GET', `${CLASSES}/a`)).status).to.equal(404);
  });

  it('are listed as they were before a deletion of all of them', async () => {
    await using server = new ApiServer();
    const body = { metadata: { name: 'a' }, driverName: 'x.example.com', parameters: { a: 'b' } };
    await call(server.handler, 'POST', CLASSES, { body });
    const { json } = await call(server.handler, 'DELETE', CLASSES);
    const [listed] = json()['items'] as { readonly metadata: object }[];
    expect(listed?.metadata).not.to.have.property('deletionTimestamp');
    const now = await call(server.handler, 'GET', `${CLASSES}/a`);
    expect(now.json()['metadata']).to.have.property('deletionTimestamp');
  });
});
