import { expect } from 'chai';
import { Answers } from '../support/answers.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';

describe('the managed fields of an object that is being deleted', () => {
  it('lose the time of the deletion when an update leaves it out', async () => {
    await using api = new Answers();
    const metadata = { name: 'one', finalizers: ['example.com/a'] };
    await api.post(MAPS, { metadata });
    await api.merge(`${MAPS}/one`, { metadata: { managedFields: [{}] } });
    await api.ask('DELETE', `${MAPS}/one`);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } };
    const applied = await api.ask('PATCH', `${MAPS}/one?fieldManager=me`, body, APPLY);
    const before = 'metadata.managedFields[1].fieldsV1.f:metadata';
    expect(applied.body)
      .to.have.nested.property(before)
      .that.has.keys(['f:deletionGracePeriodSeconds', 'f:deletionTimestamp', 'f:finalizers']);
    const put = await api.ask('PUT', `${MAPS}/one`, { metadata, data: { a: 'b' } });
    expect(put.body).to.have.nested.property('metadata.deletionTimestamp');
    expect(put.body).to.have.nested.property(before).that.has.keys(['f:finalizers']);
  });
});
