import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { Cacher } from '../../../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { AesGcmProvider } from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type {
  PlainValue,
  TransformContext,
} from '../../../../lib/server/storage/value/transformer.ts';
import {
  CONFORMANCE_PREFIX,
  type ConformancePod,
} from '../../../../lib/conformance/storage/conformance-pod.ts';
import { CountingKeyValueStore } from '../../../../lib/conformance/storage/counting-key-value-store.ts';
import { describeStorage } from '../../../../lib/conformance/storage/storage-conformance.ts';
import type { StorageHarness } from '../../../../lib/conformance/storage/storage-under-test.ts';
import { SwitchableTransformer } from '../../../../lib/conformance/storage/switchable-transformer.ts';
import { secretOf } from './sample.ts';

/** Encrypts with the key that is called like its mark; the keys of earlier marks are kept behind it. */
class SwitchableEncryption extends SwitchableTransformer {
  readonly #transformers = new Map(
    ['v1', 'v2'].map((mark) => {
      const names = mark === 'v1' ? ['v1', 'v2'] : ['v2', 'v1'];
      const providers = names.map((name) => new AesGcmProvider({ name, secret: secretOf(name) }));
      return [mark, new PrefixTransformers(providers)];
    }),
  );

  override fromStorage(data: Uint8Array, context: TransformContext): PlainValue {
    this.failIfSet(context.key);
    const plain = this.#current.fromStorage(data, context) as PlainValue;
    return { data: plain.data, stale: plain.stale || this.alwaysStale };
  }

  override toStorage(data: Uint8Array, context: TransformContext): Uint8Array {
    return this.#current.toStorage(data, context) as Uint8Array;
  }

  get #current(): PrefixTransformers {
    return this.#transformers.get(this.mark)!;
  }
}

function open(cached: boolean): StorageHarness {
  const runtime = new VirtualRuntime();
  const store = new CountingKeyValueStore(new EmbeddedKeyValueStore({ runtime }));
  const transformer = new SwitchableEncryption();
  const resourcePrefix = CONFORMANCE_PREFIX;
  const raw = new KeyValueStorage<ConformancePod>({ store, resourcePrefix, transformer, runtime });
  const cacher = cached
    ? new Cacher<ConformancePod>({ storage: raw, resourcePrefix, runtime })
    : undefined;
  return {
    storage: cacher ?? raw,
    store,
    transformer,
    runtime,
    cached,
    forgetHistory: cacher && ((resourceVersion) => cacher.forgetHistory(resourceVersion)),
    run: (work) => runtime.run(work),
    close: async () => {
      if (cacher !== undefined) await runtime.run(cacher.close());
      await store.close();
    },
  };
}

for (const cached of [false, true]) {
  const name = `${cached ? 'Cacher' : 'KeyValueStorage'} on the embedded engine, encrypted with AES-GCM`;
  describeStorage(name, { describe, it, open: () => open(cached), cached });
}
