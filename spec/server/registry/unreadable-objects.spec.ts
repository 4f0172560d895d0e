import { expect } from 'chai';
import type { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { StorageList } from '../../../lib/server/storage/contract/storage-interface.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { RegistryHarness, configMap, rejection } from './support/registry-harness.ts';

const UNSAFE = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
const key = (name: string): string => `/registry/configmaps/default/${name}`;

for (const cached of [false, true]) {
  describe(`objects that cannot be read, over ${cached ? 'a cache' : 'the raw storage'}`, () => {
    let harness: RegistryHarness;

    beforeEach(async () => {
      harness = await RegistryHarness.start({ cached });
      for (const name of ['a', 'b', 'c']) await harness.create('configmaps', configMap(name));
    });
    afterEach(async () => {
      await harness[Symbol.asyncDispose]();
    });

    async function corruptKey(path: string): Promise<void> {
      const put = { type: 'put', key: path, value: Buffer.from('{"half":') } as const;
      await harness.store.txn({ compare: [], success: [put] });
    }
    async function corrupt(...names: readonly string[]): Promise<void> {
      for (const name of names) await corruptKey(key(name));
      await harness.runtime.settle();
    }
    const remove = async (name: string, request: object = {}): Promise<unknown> =>
      await harness.drive(harness.rest('configmaps').delete(harness.context(), name, request));
    const page = async (): Promise<StorageList<UnstructuredObject>> =>
      await harness.drive(harness.rest('configmaps').list(harness.context(), { limit: 500 }));

    it('are named by a failed list, all of them', async () => {
      await corrupt('a', 'c');
      const error = await rejection(page());
      expect([error.httpStatus, error.reason]).to.deep.equal([500, 'StorageReadError']);
      expect(error.causes.map(({ reason, field }) => `${reason} ${field}`)).to.deep.equal([
        `UnexpectedServerResponse ${key('a')}`,
        `UnexpectedServerResponse ${key('c')}`,
      ]);
      expect(error.message).to.contain(key('a')).and.to.contain('(and 1 more)');
    });

    it('are neither read, changed nor deleted the usual way, and cannot be created over', async () => {
      await corrupt('a');
      const map = configMap('a');
      const calls: Record<string, () => Promise<unknown>> = {
        get: () => harness.get('configmaps', 'a'),
        update: () => harness.update('configmaps', 'a', () => map),
        delete: () => remove('a'),
      };
      for (const [verb, call] of Object.entries(calls)) {
        const error = await rejection(call());
        expect(error.reason, verb).to.equal('StorageReadError');
        expect(error.status.details?.name).to.equal('a');
      }
      expect((await rejection(harness.create('configmaps', map))).code).to.equal('ALREADY_EXISTS');
    });

    it('are removed when that is asked for, past finalizers, and all else stays', async () => {
      await harness.update('configmaps', 'a', (existing) => ({
        ...existing,
        metadata: { ...existing?.metadata, finalizers: ['example.io/wait'] },
      }));
      await corrupt('a');
      expect(await remove('a', UNSAFE)).to.include({ done: true });
      await harness.runtime.advance(60_000);
      expect(await harness.names('configmaps')).to.deep.equal(['b', 'c']);
      expect((await rejection(remove('a', UNSAFE))).code).to.equal('NOT_FOUND');
      await harness.create('configmaps', configMap('a'));
      expect(await harness.names('configmaps')).to.deep.equal(['a', 'b', 'c']);
    });

    it('do not keep a server from starting, which can remove them', async () => {
      await harness.create('namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'n' },
      });
      const broken = ['pods/default/p', 'namespaces/default', 'configmaps/default/a'];
      for (const path of broken) await corruptKey(`/registry/${path}`);
      const definition = 'apiextensions.k8s.io/customresourcedefinitions';
      await corruptKey(`/registry/${definition}/widgets.example.io`);
      const next = harness.newRegistry(cached);
      await harness.drive(next.start());
      const removals = [
        ['pods', 'p'],
        ['namespaces', 'default'],
        ['configmaps', 'a'],
      ] as const;
      for (const [resource, name] of removals) {
        const { main } = next.lookup('', 'v1', resource)!;
        const namespace = main.describe.namespaced ? 'default' : '';
        const context = harness.context(namespace);
        const failed = await rejection(harness.drive(main.list!(context, { limit: 10 })));
        expect(failed.reason, resource).to.equal('StorageReadError');
        await harness.drive(main.delete!(context, name, UNSAFE));
      }
      const { main } = next.lookup('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')!;
      await harness.drive(main.delete!(harness.context(''), 'widgets.example.io', UNSAFE));
      await harness.runtime.advance(60_000);
      const namespaces = await harness.drive(
        next.lookup('', 'v1', 'namespaces')!.main.list!(harness.context(''), {}),
      );
      expect(namespaces.items.map(({ metadata }) => metadata.name)).to.include('n');
      const maps = next.lookup('', 'v1', 'configmaps')!.main;
      const created = await harness.drive(maps.create!(harness.context('n'), configMap('x'), {}));
      expect(created.metadata.name).to.equal('x');
      await harness.drive(next.close());
    });

    it('are not those that can be read: these are refused, and stay', async () => {
      const error: ApiError = await rejection(remove('b', UNSAFE));
      expect(error.reason).to.equal('Invalid');
      expect(await harness.names('configmaps')).to.deep.equal(['a', 'b', 'c']);
    });
  });
}
