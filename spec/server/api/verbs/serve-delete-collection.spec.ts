import { expect } from 'chai';
import { CONFIG_MAPS, HttpApi, type ListBody } from '../http-api.ts';

describe('DELETE of a collection', () => {
  for (const match of ['NotOlderThan', 'Exact']) {
    it(`of more than one page deletes all of it with resourceVersionMatch=${match}`, async () => {
      await using api = await HttpApi.start();
      const names = Array.from({ length: 501 }, (_, index) => `c${index}`);
      await Promise.all(names.map((name) => api.create(name)));
      const { metadata } = await api.list('limit=1');
      const query = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=${match}`;
      const url = `${CONFIG_MAPS}?${query}`;
      const gone = await api.json<ListBody>(url, { method: 'DELETE', body: {} });
      expect(gone.items).to.have.length(names.length);
      expect((await api.list()).items).to.deep.equal([]);
    });
  }

  it('takes the version in the query for a precondition too, unless there is a body', async () => {
    await using api = await HttpApi.start();
    await api.create('one');
    const version = await api.create('two');
    const url = `${CONFIG_MAPS}?resourceVersion=${version}`;
    const refused = await api.call(url, { method: 'DELETE' });
    expect(refused.status, refused.text).to.equal(409);
    expect((await api.list()).items.map(({ metadata }) => metadata?.name)).to.include('one');
  });

  // Recorded at kube-apiserver 1.36.3.
  it('refuses a selector before it reads the options of the deletion', async () => {
    await using api = await HttpApi.start();
    await api.create('one');
    const messages = {
      'labelSelector=%3D%3D': "found '==', expected: !, identifier, or 'end of string'",
      'fieldSelector=spec.nope%3Da':
        '"spec.nope" is not a known field selector: only "metadata.name", "metadata.namespace"',
    };
    for (const [query, message] of Object.entries(messages)) {
      for (const body of [{ propagationPolicy: 'Sideways' }, { kind: 'Nope' }]) {
        const url = `${CONFIG_MAPS}?${query}`;
        const refused = await api.call(url, { method: 'DELETE', body });
        expect(refused.status, refused.text).to.equal(400);
        expect(JSON.parse(refused.text), query).to.include({ message, reason: 'BadRequest' });
      }
    }
    expect((await api.list()).items.map(({ metadata }) => metadata?.name)).to.include('one');
  });
});
