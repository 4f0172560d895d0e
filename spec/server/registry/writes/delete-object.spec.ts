import { expect } from 'chai';
import { RegistryHarness, configMap, pod, rejection } from '../support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`deleteObject over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    it('obeys preconditions', async () => {
      const { metadata } = await harness.create('configmaps', configMap('a'));
      const attempt = (preconditions: object): Promise<unknown> =>
        harness.drive(harness.rest('configmaps').delete(harness.context(), 'a', { preconditions }));
      const uid = await rejection(attempt({ uid: 'other' }));
      expect(uid.message).to.contain('the UID in the precondition (other) does not match');
      const version = await rejection(attempt({ resourceVersion: '1' }));
      expect(version).to.include({ code: 'CONFLICT' });
      await attempt({ uid: metadata?.uid, resourceVersion: metadata?.resourceVersion });
      expect(await harness.names('configmaps')).to.deep.equal([]);
    });

    it('leaves the object on a dry run', async () => {
      await harness.create('configmaps', configMap('a'));
      const dry = harness.rest('configmaps').delete(harness.context(), 'a', { dryRun: true });
      expect((await harness.drive(dry)).done).to.equal(true);
      expect(await harness.names('configmaps')).to.deep.equal(['a']);
    });

    it('removes a pod without a node at once', async () => {
      await harness.create('pods', pod('p'));
      const { done } = await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      expect(done).to.equal(true);
    });

    it('marks a pod before it removes it, so that its watchers see the mark', async () => {
      const { metadata } = await harness.create('pods', pod('p'));
      const { uid, resourceVersion } = metadata ?? {};
      const preconditions = { uid, resourceVersion };
      const { result } = await harness.drive(
        harness.rest('pods').delete(harness.context(), 'p', { preconditions }),
      );
      expect(result.metadata).to.deep.include({
        deletionTimestamp: '2024-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 0,
        generation: 2,
      });
      expect(await harness.names('pods')).to.deep.equal([]);
    });

    it('gives a pod on a node its grace period, then removes it', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n', terminationGracePeriodSeconds: 20 }));
      const { result, done } = await harness.drive(
        harness.rest('pods').delete(harness.context(), 'p', {}),
      );
      expect(done).to.equal(false);
      expect(result.metadata).to.deep.include({
        deletionTimestamp: '2024-01-01T00:00:20Z',
        deletionGracePeriodSeconds: 20,
        generation: 2,
      });
      await harness.runtime.advance(19_000);
      expect(await harness.names('pods')).to.deep.equal(['p']);
      await harness.runtime.advance(1000);
      expect(await harness.names('pods')).to.deep.equal([]);
    });

    it('removes a pod after a grace period of one second', async () => {
      const spec = { nodeName: 'n', terminationGracePeriodSeconds: 1 };
      await harness.create('pods', pod('p', spec));
      await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      await harness.runtime.advance(999);
      expect(await harness.names('pods')).to.deep.equal(['p']);
      await harness.runtime.advance(1);
      expect(await harness.names('pods')).to.deep.equal([]);
    });

    it('shortens a grace period that runs, and never lengthens it', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      const remove = async (gracePeriodSeconds?: number): Promise<unknown> => {
        const { result } = await harness.drive(
          harness.rest('pods').delete(harness.context(), 'p', { gracePeriodSeconds }),
        );
        return result.metadata.deletionGracePeriodSeconds;
      };
      expect([await remove(), await remove(60), await remove(5), await remove(10)]).to.deep.equal([
        30, 30, 5, 5,
      ]);
      await harness.runtime.advance(5000);
      expect(await harness.names('pods')).to.deep.equal([]);
    });

    it('removes a pod on a node at once with grace period 0', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      const now = harness.rest('pods').delete(harness.context(), 'p', { gracePeriodSeconds: 0 });
      expect((await harness.drive(now)).done).to.equal(true);
    });

    it('does not delete the next pod of that name at the end of the grace period', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      const pods = harness.rest('pods');
      await harness.drive(pods.delete(harness.context(), 'p', {}));
      await harness.drive(pods.delete(harness.context(), 'p', { gracePeriodSeconds: 0 }));
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      await harness.runtime.advance(60_000);
      expect(await harness.names('pods')).to.deep.equal(['p']);
    });

    it('takes up grace periods that an earlier process left behind', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      await harness.drive(harness.registry.close());
      const next = harness.newRegistry();
      await harness.drive(next.start());
      await harness.runtime.advance(30_000);
      const list = next.lookup('', 'v1', 'pods')?.main.list?.(harness.context(), {});
      expect((await harness.drive(list!)).items).to.deep.equal([]);
      await harness.drive(next.close());
    });

    it('keeps an object that got a finalizer between the read and the deletion', async () => {
      await harness.create('configmaps', configMap('a'));
      harness.before = async (verb) => {
        if (verb !== 'delete') return;
        harness.before = () => Promise.resolve();
        await harness.rest('configmaps').update(
          harness.context(),
          'a',
          (existing) => ({
            ...existing,
            metadata: { ...existing?.metadata, finalizers: ['example.io/wait'] },
          }),
          {},
        );
      };
      const deleting = harness.rest('configmaps').delete(harness.context(), 'a', {});
      expect((await harness.drive(deleting)).done).to.equal(false);
      const { metadata } = await harness.get('configmaps', 'a');
      expect(metadata).to.include({ deletionTimestamp: '2024-01-01T00:00:00Z' });
    });

    it('does not delete the next pod of that name when another process replaced the first', async () => {
      const other = harness.newRegistry(cached);
      await harness.drive(other.start());
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      const there = other.lookup('', 'v1', 'pods')!.main;
      await harness.drive(there.delete!(harness.context(), 'p', { gracePeriodSeconds: 0 }));
      await harness.drive(there.create!(harness.context(), pod('p', { nodeName: 'n' }), {}));
      await harness.runtime.advance(60_000);
      expect(await harness.names('pods')).to.deep.equal(['p']);
      await harness.drive(other.close());
    });
  });
}
