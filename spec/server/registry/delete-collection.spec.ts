import { expect } from 'chai';
import { RegistryHarness, configMap, rejection } from './support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`deleteCollection over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    it('deletes what matches and returns it', async () => {
      for (const name of ['a', 'b', 'c']) {
        const labels = { odd: String(name !== 'b') };
        await harness.create('configmaps', { ...configMap(name), metadata: { name, labels } });
      }
      const deleted = await harness.drive(
        harness
          .rest('configmaps')
          .deleteCollection(harness.context(), { labelSelector: 'odd=true' }, {}),
      );
      expect(deleted.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'c']);
      expect(await harness.names('configmaps')).to.deep.equal(['b']);
    });

    it('goes through more than one page', async () => {
      const names = Array.from({ length: 1203 }, (_, index) => `c${index}`);
      const configMaps = harness.rest('configmaps');
      await harness.drive(
        Promise.all(names.map((name) => configMaps.create(harness.context(), configMap(name), {}))),
      );
      const deleted = await harness.drive(configMaps.deleteCollection(harness.context(), {}, {}));
      expect(deleted.items).to.have.length(names.length);
      expect(await harness.names('configmaps')).to.deep.equal([]);
    });

    it('goes on when somebody else deletes an object first', async () => {
      for (const name of ['a', 'b', 'c']) await harness.create('configmaps', configMap(name));
      const configMaps = harness.rest('configmaps');
      harness.before = async (verb, key) => {
        if (verb !== 'delete' || !key.endsWith('/b')) return;
        harness.before = () => Promise.resolve();
        await configMaps.delete(harness.context(), 'b', {});
      };
      const deleted = await harness.drive(configMaps.deleteCollection(harness.context(), {}, {}));
      expect(deleted.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'c']);
      expect(await harness.names('configmaps')).to.deep.equal([]);
    });

    it('ends at the first other failure, with its reason', async () => {
      for (const name of ['a', 'b']) await harness.create('configmaps', configMap(name));
      harness.before = (verb) =>
        verb === 'delete' ? Promise.reject(new Error('no storage')) : Promise.resolve();
      const deleting = harness.rest('configmaps').deleteCollection(harness.context(), {}, {});
      const error = await rejection(harness.drive(deleting));
      expect(error).to.include({ code: 'INTERNAL_ERROR', httpStatus: 500 });
      expect(error.message).to.contain('no storage');
      harness.before = () => Promise.resolve();
      expect(await harness.names('configmaps')).to.deep.equal(['a', 'b']);
    });
  });
}
