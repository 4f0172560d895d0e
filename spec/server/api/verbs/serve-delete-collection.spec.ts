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
      const gone = await api.json<ListBody>(`${CONFIG_MAPS}?${query}`, { method: 'DELETE' });
      expect(gone.items).to.have.length(names.length);
      expect((await api.list()).items).to.deep.equal([]);
    });
  }
});
