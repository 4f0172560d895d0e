import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { GenericRegistryStore } from '../../../../lib/server/registry/generic-registry-store.ts';
import type { RequestContext } from '../../../../lib/server/registry/contract/rest-storage.ts';
import type {
  FinishWrite,
  StoreHooks,
} from '../../../../lib/server/registry/contract/store-hooks.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { kindNamed } from '../support/kind-named.ts';
import { configMap, rejection } from '../support/registry-harness.ts';

const CONTEXT: RequestContext = { namespace: 'default', user: 'tester', warn: () => {} };

const configMaps = kindNamed('configmaps');

/** A store of ConfigMaps whose hooks and admission record their calls. */
class HookedStore {
  readonly notified: string[] = [];
  readonly runtime = new VirtualRuntime();
  readonly maps: GenericRegistryStore;

  constructor(hooks: StoreHooks = this.#hooks()) {
    const { runtime } = this;
    const store = new EmbeddedKeyValueStore({ runtime });
    const resourcePrefix = configMaps.keyRoot;
    const storage = new KeyValueStorage<UnstructuredObject>({ store, resourcePrefix, runtime });
    this.maps = new GenericRegistryStore({
      kind: configMaps,
      storage,
      runtime,
      hooks,
      admission: {
        enter: (_subject, _namespace, name) => {
          this.notified.push(`enter ${name}`);
          return Promise.resolve(() => this.notified.push(`leave ${name}`));
        },
      },
    });
  }

  /** The calls recorded since the last one of this method. */
  take(): string[] {
    return this.notified.splice(0);
  }

  async drive<R>(work: Promise<R>): Promise<R> {
    return await this.runtime.run(work);
  }

  #hooks(): StoreHooks {
    const begun = (verb: string): Promise<FinishWrite> => {
      this.notified.push(`begin ${verb}`);
      return Promise.resolve((success) => {
        this.notified.push(`${verb} ${success ? 'succeeded' : 'failed'}`);
      });
    };
    return {
      beginCreate: () => begun('create'),
      beginUpdate: () => begun('update'),
      afterCreate: () => this.notified.push('after create'),
      afterUpdate: () => this.notified.push('after update'),
      afterDelete: () => {
        this.notified.push('after delete');
      },
    };
  }
}

describe('StoreHooks', () => {
  it('run around each write, and hear how it ended', async () => {
    const store = new HookedStore();
    const { maps } = store;
    await store.drive(maps.create(CONTEXT, configMap('a'), {}));
    expect(store.take()).to.deep.equal([
      'enter a',
      'begin create',
      'create succeeded',
      'after create',
      'leave a',
    ]);
    await store.drive(maps.update(CONTEXT, 'a', () => configMap('a', { x: '1' }), {}));
    expect(store.take()).to.deep.equal(['begin update', 'update succeeded', 'after update']);
    await store.drive(maps.delete(CONTEXT, 'a', {}));
    expect(store.take()).to.deep.equal(['after delete']);
  });

  it('hear of a creation by an update as a creation', async () => {
    const store = new HookedStore();
    const forced = { forceAllowCreate: true };
    await store.drive(store.maps.update(CONTEXT, 'a', () => configMap('a'), forced));
    expect(store.take()).to.deep.equal([
      'enter a',
      'begin create',
      'create succeeded',
      'leave a',
      'after create',
    ]);
  });

  it('hear nothing of a dry run', async () => {
    const store = new HookedStore();
    const { maps } = store;
    const dryRun = { dryRun: true };
    await store.drive(maps.create(CONTEXT, configMap('a'), {}));
    store.take();
    await store.drive(maps.update(CONTEXT, 'a', () => configMap('a', { x: '1' }), dryRun));
    await store.drive(maps.delete(CONTEXT, 'a', dryRun));
    expect(store.take()).to.deep.equal([]);
    await store.drive(maps.create(CONTEXT, configMap('b'), dryRun));
    const forced = { forceAllowCreate: true, ...dryRun };
    await store.drive(maps.update(CONTEXT, 'c', () => configMap('c'), forced));
    expect(store.take()).to.deep.equal(['enter b', 'leave b', 'enter c', 'leave c']);
  });

  it('hear that a write lost a race before the next try begins', async () => {
    const store = new HookedStore();
    const { maps } = store;
    await store.drive(maps.create(CONTEXT, configMap('a'), {}));
    store.take();
    let tries = 0;
    const updating = maps.update(
      CONTEXT,
      'a',
      async (existing) => {
        tries += 1;
        if (tries === 1) {
          await maps.update(CONTEXT, 'a', (one) => ({ ...one, data: { first: 'x' } }), {});
          expect(store.take()).to.deep.equal(['begin update', 'update succeeded', 'after update']);
        }
        return { ...existing, data: { ...(existing?.['data'] as object), second: 'x' } };
      },
      {},
    );
    const { result } = await store.drive(updating);
    expect(result.object['data']).to.deep.equal({ first: 'x', second: 'x' });
    expect(store.take()).to.deep.equal([
      'begin update',
      'update failed',
      'begin update',
      'update succeeded',
      'after update',
    ]);
  });

  it('give back what a creation took when the object is there after all', async () => {
    const store = new HookedStore();
    const { maps } = store;
    const forced = { forceAllowCreate: true };
    let tries = 0;
    const updating = maps.update(
      CONTEXT,
      'a',
      async (existing) => {
        tries += 1;
        if (tries === 1) {
          await maps.create(CONTEXT, configMap('a', { first: 'x' }), {});
          store.take();
        }
        return existing ?? configMap('a');
      },
      forced,
    );
    const { created } = await store.drive(updating);
    expect(created).to.equal(false);
    expect(store.take()).to.deep.equal([
      'enter a',
      'begin create',
      'create failed',
      'leave a',
      'begin update',
      'update succeeded',
      'after update',
    ]);
  });

  it('hear that a refused write failed', async () => {
    const store = new HookedStore();
    await store.drive(store.maps.create(CONTEXT, configMap('a'), {}));
    store.take();
    const again = store.drive(store.maps.create(CONTEXT, configMap('a'), {}));
    expect(await rejection(again)).to.include({ code: 'ALREADY_EXISTS' });
    expect(store.take()).to.deep.equal(['enter a', 'begin create', 'create failed', 'leave a']);
  });

  it('that throw after a write do not fail the request', async () => {
    const fail = (): never => {
      throw new Error('not after the fact');
    };
    const store = new HookedStore({ afterCreate: fail, afterUpdate: fail, afterDelete: fail });
    const { maps } = store;
    const data = async (): Promise<unknown> =>
      (await store.drive(maps.list(CONTEXT, {}))).items.map(({ object }) => object['data']);
    await store.drive(maps.create(CONTEXT, configMap('a'), {}));
    expect(await data()).to.deep.equal([undefined]);
    await store.drive(maps.update(CONTEXT, 'a', () => configMap('a', { x: '1' }), {}));
    expect(await data()).to.deep.equal([{ x: '1' }]);
    await store.drive(maps.delete(CONTEXT, 'a', {}));
    expect(await data()).to.deep.equal([]);
  });

  it('that throw before a write refuse it; nothing is written', async () => {
    const beginCreate = (): Promise<FinishWrite> => Promise.reject(new Error('no address left'));
    const store = new HookedStore({ beginCreate });
    const error = await rejection(store.drive(store.maps.create(CONTEXT, configMap('a'), {})));
    expect(error.message).to.contain('no address left');
    expect(store.take()).to.deep.equal(['enter a', 'leave a']);
    const { items } = await store.drive(store.maps.list(CONTEXT, {}));
    expect(items).to.deep.equal([]);
  });
});
