import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import {
  CONFORMANCE_PREFIX,
  type ConformancePod,
} from '../../../lib/conformance/storage/conformance-pod.ts';
import { CountingKeyValueStore } from '../../../lib/conformance/storage/counting-key-value-store.ts';
import { describeStorage } from '../../../lib/conformance/storage/storage-conformance.ts';
import type { StorageHarness } from '../../../lib/conformance/storage/storage-under-test.ts';
import { SwitchableTransformer } from '../../../lib/conformance/storage/switchable-transformer.ts';

function openCachedEmbedded(): StorageHarness {
  const runtime = new VirtualRuntime();
  const store = new CountingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
  const transformer = new SwitchableTransformer();
  const resourcePrefix = CONFORMANCE_PREFIX;
  const raw = new KeyValueStorage<ConformancePod>({ store, resourcePrefix, transformer, runtime });
  const cacher = new Cacher<ConformancePod>({ storage: raw, resourcePrefix, runtime });
  return {
    storage: cacher,
    store,
    transformer,
    runtime,
    cached: true,
    forgetHistory: (resourceVersion) => cacher.forgetHistory(resourceVersion),
    run: (work) => runtime.run(work),
    close: async () => {
      await runtime.run(cacher.close());
      await store.close();
    },
  };
}

describeStorage('Cacher over the embedded engine', {
  describe,
  it,
  open: openCachedEmbedded,
  cached: true,
});
