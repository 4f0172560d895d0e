import { expect } from 'chai';
import { valueAt } from '../../../../lib/meta/json-value.ts';
import {
  RegistryHarness,
  configMap,
  deployment,
  pod,
  rejection,
} from '../support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`updateObject over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    it('keeps the resource version when nothing changes, for every order of fields', async () => {
      const created = await harness.create('configmaps', configMap('a', { x: '1', y: '2' }));
      const { metadata } = created;
      const updated = await harness.update('configmaps', 'a', () => ({
        metadata: { ...metadata },
        data: { y: '2', x: '1' },
        kind: 'ConfigMap',
        apiVersion: 'v1',
      }));
      expect(updated.metadata?.resourceVersion).to.equal(metadata?.resourceVersion);
    });

    it('refuses another resource version and takes an empty one', async () => {
      const { metadata } = await harness.create('configmaps', configMap('a'));
      await harness.update('configmaps', 'a', () => configMap('a', { x: '1' }));
      const stale = { ...configMap('a', { x: '2' }), metadata };
      const error = await rejection(harness.update('configmaps', 'a', () => stale));
      expect(error).to.include({ code: 'CONFLICT', httpStatus: 409 });
      expect(error.message).to.equal(
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      );
    });

    it('requires a resource version where the kind does', async () => {
      const lease = (spec: object): object => ({ metadata: { name: 'l' }, spec });
      await harness.create('coordination.k8s.io/v1/leases', lease({ leaseDurationSeconds: 5 }));
      const blind = harness.update('coordination.k8s.io/v1/leases', 'l', () => lease({}) as never);
      const error = await rejection(blind);
      expect(error).to.include({ code: 'INVALID' });
      expect(error.message).to.contain(
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      );
    });

    it('applies the change again after a concurrent write, so that none is lost', async () => {
      await harness.create('configmaps', configMap('a', {}));
      const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
      const updates = names.map((name) =>
        harness.rest('configmaps').update(
          harness.context(),
          'a',
          async (existing) => {
            await Promise.resolve();
            return { ...existing, data: { ...(existing?.['data'] as object), [name]: 'x' } };
          },
          {},
        ),
      );
      await harness.drive(Promise.all(updates));
      const { data } = await harness.get('configmaps', 'a');
      expect(Object.keys(data as object)).to.have.members(names);
    });

    it('puts back what clients may not change in metadata', async () => {
      const created = await harness.create('configmaps', configMap('a'));
      const updated = await harness.update('configmaps', 'a', (existing) => ({
        ...existing,
        metadata: {
          ...existing?.metadata,
          creationTimestamp: '1999-01-01T00:00:00Z',
          generation: 17,
          labels: { a: 'b' },
        },
      }));
      expect(updated.metadata).to.deep.include({
        creationTimestamp: created.metadata?.creationTimestamp,
        labels: { a: 'b' },
      });
      expect(updated.metadata).not.to.have.any.keys('deletionTimestamp', 'generation');
    });

    it('takes another uid for another object', async () => {
      await harness.create('configmaps', configMap('a'));
      const other = { ...configMap('a'), metadata: { name: 'a', uid: 'other' } };
      const error = await rejection(harness.update('configmaps', 'a', () => other));
      expect(error).to.include({ code: 'CONFLICT' });
      expect(error.message).to.contain('Precondition failed: UID in precondition: other');
    });

    it('bumps the generation when the spec changes and only then', async () => {
      const created = await harness.create('apps/v1/deployments', deployment('web'));
      expect(created.metadata?.generation).to.equal(1);
      const labelled = await harness.update('apps/v1/deployments', 'web', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, labels: { a: 'b' } },
      }));
      expect(labelled.metadata?.generation).to.equal(1);
      const scaled = await harness.update('apps/v1/deployments', 'web', (existing) => ({
        ...existing,
        spec: { ...(existing?.['spec'] as object), replicas: 3 },
      }));
      expect(scaled.metadata?.generation).to.equal(2);
    });

    it('separates status and spec in both directions', async () => {
      await harness.create('apps/v1/deployments', {
        ...deployment('web'),
        status: { replicas: 9 },
      });
      const path = 'apps/v1/deployments';
      expect((await harness.get(path, 'web'))['status']).to.deep.equal({});
      const both = (existing: object | undefined): never =>
        ({
          ...existing,
          spec: { ...(existing as { spec: object }).spec, replicas: 7 },
          status: { replicas: 7 },
        }) as never;
      const main = await harness.update(path, 'web', both);
      expect([valueAt(main, 'spec', 'replicas'), main['status']]).to.deep.equal([7, {}]);
      await harness.update(path, 'web', (existing) => ({
        ...existing,
        spec: { ...(existing?.['spec'] as object), replicas: 1 },
      }));
      const status = await harness.update(`${path}/status`, 'web', both);
      expect(valueAt(status, 'spec', 'replicas')).to.equal(1);
      expect(status['status']).to.deep.equal({ replicas: 7 });
      expect(status.metadata?.generation).to.equal(3);
    });

    it('answers 404 for a missing object, and creates one where the kind allows it', async () => {
      const missing = harness.update('configmaps', 'a', () => configMap('a'));
      expect(await rejection(missing)).to.include({ code: 'NOT_FOUND' });
      const lease = { metadata: { name: 'l' }, spec: {} };
      const leases = harness.rest('coordination.k8s.io/v1/leases');
      const put = await harness.drive(leases.update(harness.context(), 'l', () => lease, {}));
      expect(put.created).to.equal(true);
      const forced = harness
        .rest('configmaps')
        .update(harness.context(), 'a', () => configMap('a'), {
          forceAllowCreate: true,
        });
      expect((await harness.drive(forced)).created).to.equal(true);
    });

    it('computes a dry run without writing', async () => {
      await harness.create('configmaps', configMap('a'));
      const { rest } = { rest: harness.rest('configmaps') };
      const dry = await harness.drive(
        rest.update(harness.context(), 'a', () => configMap('a', { x: '1' }), { dryRun: true }),
      );
      expect(dry.result.object['data']).to.deep.equal({ x: '1' });
      expect((await harness.get('configmaps', 'a'))['data']).to.equal(undefined);
    });

    it('refuses a deletion that a client writes itself', async () => {
      await harness.create('configmaps', configMap('a'));
      const deleted = harness.update('configmaps', 'a', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, deletionTimestamp: '1999-01-01T00:00:00Z' },
      }));
      const { causes } = await rejection(deleted);
      expect(causes.map(({ field }) => field)).to.include('metadata.deletionTimestamp');
    });

    it('keeps a pod in its grace period, and refuses another period', async () => {
      await harness.create('pods', pod('p', { nodeName: 'n' }));
      await harness.drive(harness.rest('pods').delete(harness.context(), 'p', {}));
      const labelled = await harness.update('pods', 'p', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, labels: { a: 'b' } },
      }));
      expect(labelled.metadata).to.include({ deletionGracePeriodSeconds: 30 });
      const sooner = harness.update('pods', 'p', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, deletionGracePeriodSeconds: 0 },
      }));
      expect(await rejection(sooner)).to.include({ code: 'INVALID' });
      expect(await harness.names('pods')).to.deep.equal(['p']);
      await harness.runtime.advance(30_000);
      expect(await harness.names('pods')).to.deep.equal([]);
    });

    describe('finalizers', () => {
      const path = 'configmaps';
      const held = { ...configMap('a'), metadata: { name: 'a', finalizers: ['example.io/wait'] } };
      const letGo = (existing: object | undefined): never =>
        ({
          ...existing,
          metadata: { ...(existing as { metadata: object }).metadata, finalizers: [] },
        }) as never;

      it('keep a deleted object until the last of them is gone, and that update deletes it', async () => {
        await harness.create(path, held);
        const { result, done } = await harness.drive(
          harness.rest(path).delete(harness.context(), 'a', {}),
        );
        expect(done).to.equal(false);
        expect(result.metadata).to.deep.include({
          deletionTimestamp: '2024-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 0,
        });
        const last = await harness.drive(
          harness.rest(path).update(harness.context(), 'a', letGo, {}),
        );
        expect(last.created).to.equal(false);
        expect(last.result.object.metadata?.finalizers).to.equal(undefined);
        expect(await rejection(harness.get(path, 'a'))).to.include({ code: 'NOT_FOUND' });
      });

      it('that are emptied delete the object only as the update saw it', async () => {
        await harness.create(path, held);
        await harness.drive(harness.rest(path).delete(harness.context(), 'a', {}));
        harness.before = async (verb) => {
          if (verb !== 'delete') return;
          harness.before = () => Promise.resolve();
          await harness
            .rest(path)
            .update(harness.context(), 'a', (one) => ({ ...one, data: { late: 'x' } }), {});
        };
        const seen: unknown[] = [];
        const last = await harness.update(path, 'a', (existing) => {
          seen.push(existing?.['data']);
          return letGo(existing);
        });
        expect(seen).to.deep.equal([undefined, { late: 'x' }]);
        expect(last['data']).to.deep.equal({ late: 'x' });
        expect(await harness.names(path)).to.deep.equal([]);
      });

      it('cannot be added to an object that is being deleted', async () => {
        await harness.create(path, held);
        await harness.drive(harness.rest(path).delete(harness.context(), 'a', {}));
        const adding = harness.update(path, 'a', (existing) => ({
          ...existing,
          metadata: { ...existing?.metadata, finalizers: ['example.io/wait', 'example.io/more'] },
        }));
        const error = await rejection(adding);
        expect(error).to.include({ code: 'INVALID' });
        expect(error.causes[0]?.reason).to.equal('FieldValueForbidden');
      });

      it('of the garbage collector keep an object until it removes them', async () => {
        const body = {
          ...configMap('a'),
          metadata: { name: 'a', finalizers: ['foregroundDeletion'] },
        };
        await harness.create(path, body);
        for (const propagationPolicy of ['Foreground', 'Orphan'] as const) {
          await harness.create(path, configMap(propagationPolicy.toLowerCase()));
        }
        for (const [name, propagationPolicy, done] of [
          ['a', 'Foreground', false],
          ['foreground', 'Background', true],
          ['orphan', 'Orphan', false],
        ] as const) {
          const gone = await harness.drive(
            harness.rest(path).delete(harness.context(), name, { propagationPolicy }),
          );
          expect(gone.done, name).to.equal(done);
        }
        await harness.update(path, 'orphan', (existing) => ({
          ...existing,
          metadata: { ...existing?.metadata, finalizers: [] },
        }));
        const gone = harness.drive(harness.rest(path).get(harness.context(), 'orphan', {}));
        expect(await rejection(gone)).to.include({ code: 'NOT_FOUND' });
      });
    });
  });
}
