import { expect } from 'chai';
import type { LogFields } from '../../../../lib/kernel/report/logger.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { RequestContext } from '../../../../lib/server/registry/contract/rest-storage.ts';
import type { StoreHooks } from '../../../../lib/server/registry/contract/store-hooks.ts';
import { GenericRegistryStore } from '../../../../lib/server/registry/generic-registry-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { kindNamed } from '../support/kind-named.ts';
import { configMap } from '../support/registry-harness.ts';

const CONTEXT: RequestContext = { namespace: 'default', user: 'tester', warn: () => {} };
const configMaps = kindNamed('configmaps');

const failing = (): never => {
  throw new Error('the hook is broken');
};

/** The lines that were logged, and the store whose hooks fail. */
function storeWith(hooks: StoreHooks): { maps: GenericRegistryStore; logged: LogFields[] } {
  const runtime = new VirtualRuntime();
  const store = new EmbeddedKeyValueStore({ runtime });
  const resourcePrefix = configMaps.keyRoot;
  const storage = new KeyValueStorage<UnstructuredObject>({ store, resourcePrefix, runtime });
  const logged: LogFields[] = [];
  const logger = {
    ...silentLogger,
    error: (_message: string, fields: LogFields = {}) => {
      logged.push(fields);
    },
  };
  return {
    maps: new GenericRegistryStore({ kind: configMaps, storage, runtime, hooks, logger }),
    logged,
  };
}

describe('a hook', () => {
  const called: string[] = [];
  const none = Promise.resolve(() => {});
  const note = (name: string) => () => {
    called.push(name);
    return none as never;
  };
  const order = [
    'authorize',
    'prepareCreate',
    'beginCreate',
    'afterCreate',
    'authorize',
    'prepareUpdate',
    'beginUpdate',
    'afterUpdate',
    'afterDelete',
  ];
  const all = Object.fromEntries(order.map((name) => [name, note(name)])) as StoreHooks;

  async function writesWith(hooks: StoreHooks): Promise<string[]> {
    called.length = 0;
    const { maps } = storeWith(hooks);
    await maps.create(CONTEXT, configMap('a'));
    await maps.update(CONTEXT, 'a', (existing) =>
      Promise.resolve({ ...existing, data: { key: 'value' } }),
    );
    await maps.delete(CONTEXT, 'a', {});
    return [...called];
  }

  it('is called in its place', async () => {
    expect(await writesWith(all)).to.deep.equal(order);
  });

  for (const name of new Set(order) as ReadonlySet<keyof StoreHooks>) {
    it(`is called without the others: ${name}`, async () => {
      const found = await writesWith({ [name]: all[name] });
      expect(found).to.deep.equal(order.filter((one) => one === name));
    });
  }
});

describe('a hook that throws after the write', () => {
  const broken: StoreHooks = { afterCreate: failing, afterUpdate: failing, afterDelete: failing };

  it('is logged, and the request answers what was stored', async () => {
    const { maps, logged } = storeWith(broken);
    const created = await maps.create(CONTEXT, configMap('a'));
    const { result } = await maps.update(CONTEXT, 'a', (existing) =>
      Promise.resolve({ ...existing, data: { key: 'value' } }),
    );
    await maps.delete(CONTEXT, 'a', {});
    expect(created.metadata.name).to.equal('a');
    expect((result.object as { data?: object }).data).to.deep.equal({ key: 'value' });
    const error = 'the hook is broken';
    const resource = 'configmaps';
    expect(logged).to.deep.equal([
      { hook: 'afterCreate', resource, name: 'a', error },
      { hook: 'afterUpdate', resource, name: 'a', error },
      { hook: 'afterDelete', resource, name: 'a', error },
    ]);
  });

  it('is logged also if it is the end of a hook that began before the write', async () => {
    const { maps, logged } = storeWith({ beginCreate: () => Promise.resolve(failing) });
    expect((await maps.create(CONTEXT, configMap('a'))).metadata.name).to.equal('a');
    expect(logged.map(({ hook }) => hook)).to.deep.equal(['the end of beginCreate']);
  });

  it('does not hide why the write failed', async () => {
    const { maps } = storeWith({ beginCreate: () => Promise.resolve(failing) });
    await maps.create(CONTEXT, configMap('a'));
    const error = await maps.create(CONTEXT, configMap('a')).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ALREADY_EXISTS' });
  });

  it('refuses the write if it throws before', async () => {
    const { maps } = storeWith({ beginCreate: failing });
    const error = await maps.create(CONTEXT, configMap('a')).catch((reason: unknown) => reason);
    expect(error).to.be.an('error');
    const absent = await maps.get(CONTEXT, 'a').catch((reason: unknown) => reason);
    expect(absent).to.include({ code: 'NOT_FOUND' });
  });
});
