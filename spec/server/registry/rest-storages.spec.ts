import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { GenericRegistryStore } from '../../../lib/server/registry/generic-registry-store.ts';
import { newRestStorages } from '../../../lib/server/registry/rest-storages.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import { kindNamed } from './support/kind-named.ts';
import { deployment } from './support/registry-harness.ts';

describe('newRestStorages', () => {
  it('gives the three views of a deployment over one store, without a server around it', async () => {
    const runtime = new VirtualRuntime();
    const store = new EmbeddedKeyValueStore({ runtime });
    const storage = new KeyValueStorage<UnstructuredObject>({
      store,
      resourcePrefix: '/registry/deployments',
      runtime,
    });
    const kind = kindNamed('apps/deployments');
    const views = newRestStorages(kind, new GenericRegistryStore({ kind, storage, runtime }));
    const context = { namespace: 'shop', user: 'tester', warn: () => {} };
    await views.store.create(context, deployment('web'), {});
    await views.scale?.update(context, 'web', (scale) => ({ ...scale, spec: { replicas: 2 } }), {});
    await views.status?.update(context, 'web', (one) => ({ ...one, status: { replicas: 2 } }), {});
    const scale = await views.scale?.get(context, 'web', {});
    expect(scale?.object).to.deep.include({ spec: { replicas: 2 } });
    expect(scale?.object['status']).to.include({ replicas: 2 });
    expect(scale?.key).to.equal('/registry/deployments/shop/web');
    await store.close();
  });
});
