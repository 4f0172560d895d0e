import { expect } from 'chai';
import { RegistryHarness, collect, configMap, pod, rejection } from './support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`GenericRegistryStore over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    describe('list and watch', () => {
      it('select by labels and fields', async () => {
        await harness.create('pods', pod('a', { nodeName: 'n1' }));
        await harness.create('pods', {
          ...pod('b', { nodeName: 'n2' }),
          metadata: { name: 'b', labels: { x: '1' } },
        });
        const found = async (options: object): Promise<unknown> => {
          const { items } = await harness.drive(
            harness.rest('pods').list(harness.context(), options),
          );
          return items.map(({ metadata }) => metadata.name);
        };
        expect(await found({ fieldSelector: 'spec.nodeName=n2' })).to.deep.equal(['b']);
        expect(await found({ labelSelector: 'x' })).to.deep.equal(['b']);
        expect(await found({ fieldSelector: 'metadata.name=a' })).to.deep.equal(['a']);
        expect(await found({ fieldSelector: 'metadata.name=..' })).to.deep.equal([]);
        expect(await found({ fieldSelector: 'status.phase!=Pending' })).to.deep.equal([]);
      });

      it('refuse a field the kind cannot be selected by', async () => {
        const list = harness
          .rest('configmaps')
          .list(harness.context(), { fieldSelector: 'spec.foo=1' });
        const error = await rejection(list);
        expect(error).to.include({ code: 'BAD_REQUEST' });
        expect(error.message).to.equal(
          '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
        );
        const broken = harness
          .rest('configmaps')
          .list(harness.context(), { labelSelector: 'a in' });
        expect(await rejection(broken)).to.include({ code: 'BAD_REQUEST' });
      });

      it('show the changes of one object when the name is selected', async () => {
        const watch = await harness.drive(
          harness.rest('configmaps').watch(harness.context(), { fieldSelector: 'metadata.name=a' }),
        );
        const { seen, ended } = collect(watch);
        for (const name of ['a', 'b', 'ab']) await harness.create('configmaps', configMap(name));
        await harness.drive(harness.rest('configmaps').delete(harness.context(), 'a', {}));
        await harness.runtime.settle();
        watch.destroy();
        await harness.drive(ended);
        expect(seen).to.deep.equal(['ADDED a', 'DELETED a']);
      });

      it('read over all namespaces when none is given', async () => {
        await harness.create('configmaps', configMap('a'));
        await harness.create('configmaps', configMap('b'), 'kube-system');
        expect(await harness.names('configmaps', '')).to.have.members(['a', 'b']);
      });
    });

    it('refuses names that would leave their place in the storage', async () => {
      for (const name of ['..', '.', 'a/b', 'a%2fb', '']) {
        const error = await rejection(harness.get('configmaps', name));
        expect(error, name).to.include({ code: 'BAD_REQUEST' });
      }
    });

    it('forgets events after an hour', async () => {
      const event = {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      };
      await harness.create('events', event);
      await harness.runtime.advance(3_590_000);
      expect(await harness.names('events')).to.deep.equal(['e']);
      await harness.runtime.advance(120_000);
      expect(await harness.names('events')).to.deep.equal([]);
    });
  });
}
