import { expect } from 'chai';
import { RegistryHarness, configMap, rejection } from '../support/registry-harness.ts';

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

    it('marks an object that got a finalizer after it was listed', async () => {
      await harness.create('configmaps', configMap('a'));
      let isDone = false;
      harness.before = async (verb, key) => {
        if (verb !== 'delete' || isDone || !key.endsWith('/a')) return;
        isDone = true;
        const update = harness.rest('configmaps').update(
          harness.context(),
          'a',
          (existing) => ({
            ...existing!,
            metadata: { ...existing!.metadata, finalizers: ['a.b/c'] },
          }),
          {},
        );
        await update;
      };
      await harness.drive(harness.rest('configmaps').deleteCollection(harness.context(), {}, {}));
      expect(isDone).to.equal(true);
      const { metadata } = await harness.get('configmaps', 'a');
      expect(metadata?.deletionTimestamp).to.be.a('string');
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

    for (const match of [undefined, 'NotOlderThan', 'Exact'] as const) {
      const title = match === undefined ? 'no match' : `the match ${match}`;
      it(`goes through all pages of a list at a version with ${title}`, async () => {
        const names = Array.from({ length: 501 }, (_, index) => `c${index}`);
        const configMaps = harness.rest('configmaps');
        const creates = names.map((name) =>
          configMaps.create(harness.context(), configMap(name), {}),
        );
        await harness.drive(Promise.all(creates));
        const { resourceVersion } = await harness.drive(configMaps.list(harness.context(), {}));
        const list = { resourceVersion, resourceVersionMatch: match };
        const deleting = configMaps.deleteCollection(harness.context(), list, {});
        const deleted = await harness.drive(deleting);
        expect(deleted.items).to.have.length(names.length);
        expect(deleted.resourceVersion).to.equal(resourceVersion);
        expect(await harness.names('configmaps')).to.deep.equal([]);
      });
    }

    it('deletes one page when the request has a limit, and says where the next one begins', async () => {
      for (const name of ['a', 'b', 'c']) await harness.create('configmaps', configMap(name));
      const configMaps = harness.rest('configmaps');
      const { resourceVersion } = await harness.drive(configMaps.list(harness.context(), {}));
      const list = { resourceVersion, resourceVersionMatch: 'Exact', limit: 2 } as const;
      const deleting = configMaps.deleteCollection(harness.context(), list, {});
      const { items, continueToken, remainingItemCount } = await harness.drive(deleting);
      expect(remainingItemCount, 'before the deletion, after the page').to.equal(1);
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
      expect(await harness.names('configmaps')).to.deep.equal(['c']);
      const rest = configMaps.deleteCollection(harness.context(), { continueToken, limit: 2 }, {});
      const last = await harness.drive(rest);
      expect(last.items.map(({ metadata }) => metadata.name)).to.deep.equal(['c']);
      expect(last.continueToken).to.equal(undefined);
    });

    it('goes on when another client deletes an object first', async () => {
      for (const name of ['a', 'b', 'c']) await harness.create('configmaps', configMap(name));
      const configMaps = harness.rest('configmaps');
      harness.before = async (verb, key) => {
        if (verb !== 'delete' || !key.endsWith('/b')) return;
        harness.before = () => Promise.resolve();
        await configMaps.delete(harness.context(), 'b', {});
      };
      const deleted = await harness.drive(configMaps.deleteCollection(harness.context(), {}, {}));
      expect(deleted.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b', 'c']);
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
