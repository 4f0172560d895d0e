import { expect } from 'chai';
import { valueAt } from '../../../lib/server/registry/json-value.ts';
import {
  RegistryHarness,
  collect,
  configMap,
  deployment,
  pod,
  rejection,
} from './support/registry-harness.ts';

for (const cached of [false, true]) {
  describe(`GenericRegistryStore over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
    });

    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    describe('create', () => {
      it('replaces the system fields a client sends', async () => {
        const body = configMap('a');
        const metadata = {
          ...body.metadata,
          uid: 'mine',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 4,
          selfLink: '/x',
        };
        const created = await harness.create('configmaps', { ...body, metadata });
        expect(created.metadata).to.have.all.keys(
          'name',
          'namespace',
          'uid',
          'creationTimestamp',
          'resourceVersion',
        );
        expect(created.metadata?.uid).to.match(/^[0-9a-f-]{36}$/);
        expect(created.metadata?.creationTimestamp).to.equal('2024-01-01T00:00:00Z');
      });

      it('takes the namespace from the request and refuses another one', async () => {
        const created = await harness.create('configmaps', configMap('a'), 'kube-public');
        expect(created.metadata?.namespace).to.equal('kube-public');
        const body = { ...configMap('b'), metadata: { name: 'b', namespace: 'default' } };
        const error = await rejection(harness.create('configmaps', body, 'kube-public'));
        expect(error).to.include({ code: 'BAD_REQUEST' });
      });

      it('draws five letters for generateName', async () => {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-' } };
        const { metadata } = await harness.create('configmaps', body);
        expect(metadata?.name).to.match(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        expect(metadata?.generateName).to.equal('web-');
      });

      for (const [taken, outcome] of [
        [7, 'the eighth name'],
        [8, 'a refusal'],
      ] as const) {
        it(`answers with ${outcome} when the first ${taken} generated names are taken`, async () => {
          const UUID_DRAWS = 33;
          const NAME_DRAWS = 5;
          let draws = 0;
          harness.runtime.random = (): number => {
            draws += 1;
            return draws <= UUID_DRAWS + taken * NAME_DRAWS ? 0 : 0.999;
          };
          const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'w' } };
          await harness.create('configmaps', configMap('wbbbbb'));
          draws = 0;
          const creating = harness.create('configmaps', body);
          if (taken === 7) {
            expect((await creating).metadata?.name).to.equal('w99999');
            return;
          }
          const error = await rejection(creating);
          expect(error).to.include({ code: 'ALREADY_EXISTS', retryAfterMs: 1000 });
          expect(error.message).to.contain('was not able to generate a unique name');
        });
      }

      it('refuses a name that is taken', async () => {
        await harness.create('configmaps', configMap('a'));
        const error = await rejection(harness.create('configmaps', configMap('a')));
        expect(error).to.include({ code: 'ALREADY_EXISTS', httpStatus: 409 });
        expect(error.message).to.equal('configmaps "a" already exists');
      });

      it('says so when the name is taken by an object on its way out', async () => {
        const body = configMap('a');
        const metadata = { name: 'a', finalizers: ['example.io/wait'] };
        await harness.create('configmaps', { ...body, metadata });
        await harness.drive(harness.rest('configmaps').delete(harness.context(), 'a', {}));
        const error = await rejection(harness.create('configmaps', body));
        expect(error.message).to.equal('object is being deleted: configmaps "a" already exists');
      });

      it('names every broken field in one answer', async () => {
        const body = configMap('Not_A_Name', { 'a b': 'x', c: 5 });
        const error = await rejection(harness.create('configmaps', body));
        expect(error).to.include({ code: 'INVALID', httpStatus: 422 });
        expect(error.causes.map(({ field }) => field)).to.deep.equal([
          'metadata.name',
          'data',
          'data[c]',
        ]);
        expect(error.status.details?.kind).to.equal('ConfigMap');
      });

      it('refuses a resource version with the text tools look for', async () => {
        const body = { ...configMap('a'), metadata: { name: 'a', resourceVersion: '5' } };
        const error = await rejection(harness.create('configmaps', body));
        expect(error.message).to.contain(
          'resourceVersion should not be set on objects to be created',
        );
      });

      it('writes nothing on a dry run, and still checks', async () => {
        const { rest } = { rest: harness.rest('configmaps') };
        const dry = await harness.drive(
          rest.create(harness.context(), configMap('a'), { dryRun: true }),
        );
        expect(dry.metadata.uid).to.be.a('string');
        expect(dry.resourceVersion).to.equal('');
        expect(await harness.names('configmaps')).to.deep.equal([]);
        await harness.create('configmaps', configMap('a'));
        const again = rest.create(harness.context(), configMap('a'), { dryRun: true });
        expect(await rejection(again)).to.include({ code: 'ALREADY_EXISTS' });
      });

      it('survives metadata of the wrong types', async () => {
        for (const metadata of [
          5,
          [],
          { name: 5 },
          { name: 'a', labels: 'x' },
          { name: 'a', labels: { a: 1 } },
          { name: 'a', finalizers: 'x' },
          { name: 'a', generation: 'x' },
        ]) {
          const error = await rejection(harness.create('configmaps', { metadata }));
          expect(error, JSON.stringify(metadata)).to.include({ code: 'BAD_REQUEST' });
        }
      });

      it('refuses an object nested deeper than 200 levels', async () => {
        let data: unknown = 'x';
        for (let depth = 0; depth < 100_000; depth += 1) data = { data };
        const error = await rejection(
          harness.create('configmaps', { metadata: { name: 'a' }, data }),
        );
        expect(error).to.include({ code: 'BAD_REQUEST' });
      });

      it('keeps a key called __proto__ as data', async () => {
        const body = JSON.parse('{"metadata":{"name":"a"},"data":{"__proto__":"x"}}') as object;
        await harness.create('configmaps', body);
        const { data } = await harness.get('configmaps', 'a');
        expect(Object.keys(data as object)).to.deep.equal(['__proto__']);
        expect(({} as { x?: unknown }).x).to.equal(undefined);
      });
    });

    describe('update', () => {
      it('keeps the resource version when nothing changes, whatever the order of fields', async () => {
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

      it('demands a resource version where the kind does', async () => {
        const lease = (spec: object): object => ({ metadata: { name: 'l' }, spec });
        await harness.create('coordination.k8s.io/v1/leases', lease({ leaseDurationSeconds: 5 }));
        const blind = harness.update(
          'coordination.k8s.io/v1/leases',
          'l',
          () => lease({}) as never,
        );
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
            deletionTimestamp: '1999-01-01T00:00:00Z',
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
        expect(await harness.get(path, 'web')).not.to.have.property('status');
        const both = (existing: object | undefined): never =>
          ({
            ...existing,
            spec: { ...(existing as { spec: object }).spec, replicas: 7 },
            status: { replicas: 7 },
          }) as never;
        const main = await harness.update(path, 'web', both);
        expect([valueAt(main, 'spec', 'replicas'), main['status']]).to.deep.equal([7, undefined]);
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
        expect((await harness.get('configmaps', 'a'))['data']).to.deep.equal({});
      });
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
        const last = await harness.update(path, 'a', letGo);
        expect(last.metadata?.finalizers).to.deep.equal([]);
        expect(await rejection(harness.get(path, 'a'))).to.include({ code: 'NOT_FOUND' });
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

      it('of the garbage collector hold nothing back, because none runs here', async () => {
        const body = {
          ...configMap('a'),
          metadata: { name: 'a', finalizers: ['foregroundDeletion'] },
        };
        await harness.create(path, body);
        for (const propagationPolicy of ['Foreground', 'Orphan'] as const) {
          await harness.create(path, configMap(propagationPolicy.toLowerCase()));
        }
        for (const [name, propagationPolicy] of [
          ['a', 'Foreground'],
          ['foreground', 'Foreground'],
          ['orphan', 'Orphan'],
        ] as const) {
          const gone = await harness.drive(
            harness.rest(path).delete(harness.context(), name, { propagationPolicy }),
          );
          expect(gone.done, name).to.equal(true);
        }
      });
    });

    describe('delete', () => {
      it('obeys preconditions', async () => {
        const { metadata } = await harness.create('configmaps', configMap('a'));
        const attempt = (preconditions: object): Promise<unknown> =>
          harness.drive(
            harness.rest('configmaps').delete(harness.context(), 'a', { preconditions }),
          );
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
        const { done } = await harness.drive(
          harness.rest('pods').delete(harness.context(), 'p', {}),
        );
        expect(done).to.equal(true);
      });

      it('gives a pod on a node its grace period, then removes it', async () => {
        await harness.create(
          'pods',
          pod('p', { nodeName: 'n', terminationGracePeriodSeconds: 20 }),
        );
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

      it('shortens a grace period that runs, and never lengthens it', async () => {
        await harness.create('pods', pod('p', { nodeName: 'n' }));
        const remove = async (gracePeriodSeconds?: number): Promise<unknown> => {
          const { result } = await harness.drive(
            harness.rest('pods').delete(harness.context(), 'p', { gracePeriodSeconds }),
          );
          return result.metadata.deletionGracePeriodSeconds;
        };
        expect([await remove(), await remove(60), await remove(5), await remove(10)]).to.deep.equal(
          [30, 30, 5, 5],
        );
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
    });

    describe('deleteCollection', () => {
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
          Promise.all(
            names.map((name) => configMaps.create(harness.context(), configMap(name), {})),
          ),
        );
        const deleted = await harness.drive(configMaps.deleteCollection(harness.context(), {}, {}));
        expect(deleted.items).to.have.length(names.length);
        expect(await harness.names('configmaps')).to.deep.equal([]);
      });
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
        watch.close();
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
