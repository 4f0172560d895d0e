import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
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

function openRawEmbedded(): StorageHarness {
  const runtime = new VirtualRuntime();
  const store = new CountingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
  const transformer = new SwitchableTransformer();
  const resourcePrefix = CONFORMANCE_PREFIX;
  return {
    storage: new KeyValueStorage<ConformancePod>({ store, resourcePrefix, transformer, runtime }),
    store,
    transformer,
    runtime,
    cached: false,
    run: (work) => runtime.run(work),
    close: () => store.close(),
  };
}

describeStorage('KeyValueStorage on the embedded engine', {
  describe,
  it,
  open: openRawEmbedded,
  cached: false,
});
