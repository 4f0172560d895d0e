import { expect } from 'chai';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { Cacher } from '../../../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import {
  AesCbcProvider,
  AesGcmProvider,
  KeyUsage,
} from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import type { EncryptionProvider } from '../../../../lib/server/storage/encryption/encryption-provider.ts';
import { EnvelopeProvider } from '../../../../lib/server/storage/encryption/envelope-provider.ts';
import { KmsProvider } from '../../../../lib/server/storage/encryption/kms-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { SecretboxProvider } from '../../../../lib/server/storage/encryption/secretbox-provider.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { failureOf, secretOf } from './sample.ts';
import { ScriptedKeyService } from './scripted-key-service.ts';

const resourcePrefix = '/registry/secrets/';
const keyOf = (name: string): string => `${resourcePrefix}shop/${name}`;
const secret = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
});

describe('a storage of encrypted objects', () => {
  let runtime: VirtualRuntime;
  let store: EmbeddedKeyValueStore;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    store = new EmbeddedKeyValueStore({ runtime });
  });

  afterEach(() => store.close());

  function open(...providers: EncryptionProvider[]): KeyValueStorage {
    const transformer = new PrefixTransformers(providers);
    return new KeyValueStorage({ store, resourcePrefix, transformer, runtime });
  }

  async function copy(from: string, to: string): Promise<void> {
    const { items } = await store.range({ key: keyOf(from) });
    const put = { type: 'put', key: keyOf(to), value: items[0]!.value } as const;
    await store.txn({ compare: [], success: [put] });
  }

  const name = 'k';
  const kinds: [string, () => EncryptionProvider, boolean][] = [
    ['AES-GCM', () => new AesGcmProvider({ name, secret: secretOf('k') }), true],
    [
      'a key service',
      () => new KmsProvider({ name, service: new ScriptedKeyService(), runtime }),
      true,
    ],
    [
      'envelopes',
      () => new EnvelopeProvider({ name, service: new ScriptedKeyService(), runtime }),
      true,
    ],
    ['secretbox', () => new SecretboxProvider({ name, secret: secretOf('k') }), false],
    ['AES-CBC', () => new AesCbcProvider({ name, secret: secretOf('k') }), false],
  ];
  for (const [kind, make, bound] of kinds) {
    it(`under ${kind} ${bound ? 'does not read' : 'reads'} a value that was copied to another key`, async () => {
      const storage = open(make());
      await storage.create(keyOf('mine'), secret('mine'));
      await copy('mine', 'yours');
      const read = storage.get(keyOf('yours'));
      if (bound) {
        const error = await failureOf(() => read);
        expect(error).to.include({ code: 'CORRUPT_OBJECT', key: keyOf('yours') });
      } else {
        expect((await read)?.metadata.name).to.equal('mine');
      }
      expect((await storage.get(keyOf('mine')))?.metadata.name).to.equal('mine');
    });
  }

  it('never gives out what a wrong CBC key makes of an object, whether its padding fits or not', async () => {
    await open(new AesCbcProvider({ name, secret: secretOf('right') })).create(
      keyOf('a'),
      secret('a'),
    );
    const { items } = await store.range({ key: keyOf('a') });
    for (let index = 0; index < 1000; index += 1) {
      const wrong = open(new AesCbcProvider({ name, secret: secretOf(`wrong-${index}`) }));
      const error = await failureOf(async () => (await wrong.get(keyOf('a')))?.object);
      expect(error.code).to.equal('CORRUPT_OBJECT');
    }
    expect((await store.range({ key: keyOf('a') })).items).to.deep.equal(items);
  });

  it('writes nothing when it cannot encrypt', async () => {
    const usage = new KeyUsage(1);
    const storage = open(new AesGcmProvider({ name, secret: secretOf('k'), usage }));
    const created = await storage.create(keyOf('a'), secret('a'));
    const change = { object: { ...secret('a'), data: {} } };
    for (const attempt of [
      () => storage.create(keyOf('b'), secret('b')),
      () => storage.guaranteedUpdate(keyOf('a'), () => change),
    ]) {
      expect((await failureOf(attempt)).code).to.equal('ENCRYPTION_KEY_EXHAUSTED');
    }
    expect(await storage.getCurrentResourceVersion()).to.equal(created.resourceVersion);
    expect((await storage.get(keyOf('a')))?.resourceVersion).to.equal(created.resourceVersion);
    await storage.delete(keyOf('a'));
  });

  it('is served from a cache that catches up after the key service was away', async () => {
    const service = new ScriptedKeyService();
    const kms = (): KmsProvider => new KmsProvider({ name, service, runtime });
    const raw = open(kms());
    const cacher = new Cacher({ storage: raw, resourcePrefix, runtime });
    await runtime.run(async () => {
      await raw.create(keyOf('a'), secret('a'));
      cacher.start();
      while ((await cacher.readinessCheck().catch((error: unknown) => error)) !== undefined)
        await sleep(runtime, 10);
      // Another server writes with a seed of its own, which this one cannot unwrap for a while.
      const other = kms();
      await other.refresh();
      service.outage = new Error('connection refused');
      const { resourceVersion } = await open(other).create(keyOf('b'), secret('b'));
      await sleep(runtime, 20_000);
      const behind = await failureOf(() => cacher.getList(resourcePrefix, { resourceVersion }));
      expect(behind.code).to.be.oneOf([
        'GATEWAY_TIMEOUT',
        'TOO_MANY_REQUESTS',
        'KEY_SERVICE_FAILED',
      ]);
      service.outage = undefined;
      await sleep(runtime, 60_000);
      const { items } = await cacher.getList(resourcePrefix, { resourceVersion });
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
      await cacher.close();
    });
  });
});
