import { expect } from 'chai';
import { Answers } from '../support/answers.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function managersOf(object: object): Promise<unknown> {
  await using api = new Answers();
  const { status, text, body } = await api.post(`${MAPS}?fieldManager=me`, object);
  expect(status, text).to.equal(201);
  const { managedFields } = body['metadata'] as { readonly managedFields?: readonly object[] };
  return managedFields?.map((entry) => (entry as { readonly fieldsV1: unknown }).fieldsV1);
}

describe('the managed fields of a new object', () => {
  // As kube-apiserver 1.36.3 answers it.
  it('are none where the client set nothing but the name', async () => {
    for (const fields of [{}, { data: {} }, { metadata: { name: 'a', labels: {} } }]) {
      expect(await managersOf({ metadata: { name: 'a' }, ...fields })).to.equal(undefined);
    }
  });

  it('are those that the client set', async () => {
    expect(await managersOf({ metadata: { name: 'a', labels: { b: 'c' } } })).to.deep.equal([
      { 'f:metadata': { 'f:labels': { '.': {}, 'f:b': {} } } },
    ]);
    expect(await managersOf({ metadata: { name: 'a' }, data: { b: 'c' } })).to.deep.equal([
      { 'f:data': { '.': {}, 'f:b': {} } },
    ]);
  });
});
