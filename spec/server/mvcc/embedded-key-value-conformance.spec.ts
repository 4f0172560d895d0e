import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { describeKeyValueStore } from '../../../lib/conformance/key-value/key-value-conformance.ts';
import type { KeyValueHarness } from '../../../lib/conformance/key-value/key-value-under-test.ts';

function open(): KeyValueHarness {
  const runtime = new VirtualRuntime();
  const store = new EmbeddedKeyValueStore({ runtime });
  return { store, runtime, run: (work) => runtime.run(work), close: () => store.close() };
}

describeKeyValueStore('key-value contract of the embedded engine', { describe, it, open });
