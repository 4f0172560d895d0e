import { expect } from 'chai';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import {
  VirtualRuntime,
  type VirtualRuntimeOptions,
} from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { Cacher } from '../../../../lib/server/cacher/cacher.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { prefixEnd, type KeyValue } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { AesGcmProvider } from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import {
  identityProvider,
  type EncryptionProvider,
} from '../../../../lib/server/storage/encryption/encryption-provider.ts';
import { KmsProvider } from '../../../../lib/server/storage/encryption/kms-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import {
  rewriteStale,
  type RewriteProgress,
} from '../../../../lib/server/storage/encryption/rewrite-stale.ts';
import { SecretboxProvider } from '../../../../lib/server/storage/encryption/secretbox-provider.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type { StorageInterface } from '../../../../lib/server/storage/contract/storage-interface.ts';
import { failureOf, secretOf } from './sample.ts';
import { ScriptedKeyService } from './scripted-key-service.ts';

interface Secret extends KubernetesObject {
  readonly data: { readonly password: string; readonly count: number };
}

const PREFIX = '/registry/secrets/';
const keyOf = (name: string): string => `${PREFIX}shop/${name}`;
const nameOf = (index: number): string => `s-${String(index).padStart(5, '0')}`;
const secret = (name: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  data: { password: `hunter2-${name}`, count: 0 },
});

const gcm = (name: string): EncryptionProvider =>
  new AesGcmProvider({ name, secret: secretOf(name) });

/** One engine, and storages on it with the providers they are given. */
class Engine {
  readonly runtime: VirtualRuntime;
  readonly store: EmbeddedKeyValueStore;

  constructor(options?: VirtualRuntimeOptions) {
    this.runtime = new VirtualRuntime(options);
    this.store = new EmbeddedKeyValueStore({ runtime: this.runtime });
  }

  storage(...providers: EncryptionProvider[]): KeyValueStorage<Secret> {
    const { store, runtime } = this;
    const transformer = new PrefixTransformers(providers);
    return new KeyValueStorage<Secret>({ store, resourcePrefix: PREFIX, transformer, runtime });
  }

  async fill(storage: StorageInterface<Secret>, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await storage.create(keyOf(nameOf(index)), secret(nameOf(index)));
    }
  }

  async values(): Promise<readonly KeyValue[]> {
    return (await this.store.range({ key: PREFIX, rangeEnd: prefixEnd(PREFIX) })).items;
  }

  /** The names of the encryption keys in use. */
  async heads(): Promise<string[]> {
    const values = await this.values();
    const heads = values.map(
      ({ value }) =>
        /^k8s:enc:[^:]+:v.:[^:]+:/.exec(Buffer.from(value).toString('latin1'))?.[0] ?? 'plain',
    );
    return [...new Set(heads)].toSorted();
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await this.store.txn({ compare: [], success: [{ type: 'put', key, value }] });
  }
}

describe('rewriteStale', () => {
  let engine: Engine;

  beforeEach(() => {
    engine = new Engine();
  });

  afterEach(() => engine.store.close());

  it('rewrites what is under an old key, and nothing else', async () => {
    await engine.fill(engine.storage(gcm('old')), 30);
    const storage = engine.storage(gcm('new'), gcm('old'));
    await storage.guaranteedUpdate(keyOf(nameOf(7)), ({ existing }) => ({
      object: { ...existing!, data: { password: 'changed', count: 1 } },
    }));
    const before = new Map(
      (await engine.values()).map(({ key, modRevision }) => [key, modRevision]),
    );
    const result = await rewriteStale(storage, PREFIX, { pageSize: 4 });
    expect(result).to.deep.equal({
      seen: 30,
      rewritten: 29,
      unreadable: 0,
      lastKey: keyOf(nameOf(29)),
    });
    expect(await engine.heads()).to.deep.equal(['k8s:enc:aesgcm:v1:new:']);
    const unmoved = (await engine.values()).filter(
      ({ key, modRevision }) => before.get(key) === modRevision,
    );
    expect(unmoved.map(({ key }) => key)).to.deep.equal([keyOf(nameOf(7))]);

    const after = await storage.getCurrentResourceVersion();
    expect(await rewriteStale(storage, PREFIX)).to.include({ seen: 30, rewritten: 0 });
    expect(await storage.getCurrentResourceVersion()).to.equal(after);
    const { items } = await engine.storage(gcm('new')).getList(PREFIX);
    expect(items.map(({ object }) => object.data.password)).to.deep.equal(
      Array.from({ length: 30 }, (_, index) =>
        index === 7 ? 'changed' : `hunter2-${nameOf(index)}`,
      ),
    );
  });

  it('begins encryption, changes its kind, and ends it', async () => {
    await engine.fill(engine.storage(identityProvider), 5);
    const box = new SecretboxProvider({ name: 'box', secret: secretOf('box') });
    const steps: [EncryptionProvider[], string][] = [
      [[gcm('one'), identityProvider], 'k8s:enc:aesgcm:v1:one:'],
      [[box, gcm('one')], 'k8s:enc:secretbox:v1:box:'],
      [[identityProvider, box], 'plain'],
    ];
    for (const [providers, head] of steps) {
      expect((await rewriteStale(engine.storage(...providers), PREFIX)).rewritten).to.equal(5);
      expect(await engine.heads()).to.deep.equal([head]);
    }
  });

  it('brings values under the present key of a key service', async () => {
    const service = new ScriptedKeyService();
    const provider = new KmsProvider({ name: 'vault', service, runtime: engine.runtime });
    const storage = engine.storage(provider);
    await engine.fill(storage, 10);
    service.rotate('kek-2');
    await provider.refresh();
    expect((await rewriteStale(storage, PREFIX)).rewritten).to.equal(10);
    service.local.forget('kek-1');
    const fresh = new KmsProvider({ name: 'vault', service, runtime: engine.runtime });
    expect((await engine.storage(fresh).getList(PREFIX)).items).to.have.length(10);
  });

  it('works through a cache as well', async () => {
    await engine.fill(engine.storage(gcm('old')), 20);
    const { runtime } = engine;
    const raw = engine.storage(gcm('new'), gcm('old'));
    const cacher = new Cacher<Secret>({ storage: raw, resourcePrefix: PREFIX, runtime });
    await runtime.run(async () => {
      cacher.start();
      while ((await cacher.readinessCheck().catch((error: unknown) => error)) !== undefined)
        await sleep(runtime, 10);
      expect((await rewriteStale(cacher, PREFIX, { pageSize: 7 })).rewritten).to.equal(20);
      expect((await rewriteStale(cacher, PREFIX, { pageSize: 7 })).rewritten).to.equal(0);
      await cacher.close();
    });
    expect(await engine.heads()).to.deep.equal(['k8s:enc:aesgcm:v1:new:']);
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`loses no write of others meanwhile (order ${seed})`, async () => {
      await engine.store.close();
      engine = new Engine({ seed, order: 'random' });
      const { runtime } = engine;
      const count = 40;
      await engine.fill(engine.storage(gcm('old')), count);
      const storage = engine.storage(gcm('new'), gcm('old'));
      const lagging = engine.storage(gcm('old'), gcm('new'));
      let writes = 0;
      let deleted = 0;
      let running = true;
      const writer = async (seed: number, through: StorageInterface<Secret>): Promise<void> => {
        for (let turn = seed; running; turn += 3) {
          const name = nameOf(turn % (count - 5));
          await through.guaranteedUpdate(keyOf(name), async ({ existing }) => {
            await sleep(runtime, turn % 3);
            return {
              object: {
                ...existing!,
                data: { ...existing!.data, count: existing!.data.count + 1 },
              },
            };
          });
          writes += 1;
          if (turn % 7 === 0) await sleep(runtime, 1);
        }
      };
      const remover = async (): Promise<void> => {
        for (let index = count - 5; index < count; index += 1) {
          await storage.delete(keyOf(nameOf(index)));
          deleted += 1;
          await sleep(runtime, 2);
        }
      };
      const creator = async (): Promise<void> => {
        for (let index = count; index < count + 10; index += 1) {
          await storage.create(keyOf(nameOf(index)), secret(nameOf(index)));
          await sleep(runtime, 1);
        }
      };
      await runtime.run(async () => {
        const others = [
          writer(0, storage),
          writer(1, lagging),
          writer(2, storage),
          remover(),
          creator(),
        ];
        // Every round meets what the lagging writer put under the old key in between.
        for (let round = 0; round < 5; round += 1) {
          await rewriteStale(storage, PREFIX, { pageSize: 3, onProgress: () => {} });
          await sleep(runtime, 3);
        }
        running = false;
        await Promise.all(others);
      });
      await rewriteStale(storage, PREFIX);
      expect(await engine.heads()).to.deep.equal(['k8s:enc:aesgcm:v1:new:']);
      const { items } = await engine.storage(gcm('new')).getList(PREFIX);
      expect(deleted).to.equal(5);
      expect(items).to.have.length(count + 5);
      expect(writes).to.be.greaterThan(50);
      expect(items.reduce((sum, { object }) => sum + object.data.count, 0)).to.equal(writes);
    });
  }

  it('reports its progress page by page, and goes on where it was interrupted', async () => {
    await engine.fill(engine.storage(gcm('old')), 10);
    const storage = engine.storage(gcm('new'), gcm('old'));
    const seen: RewriteProgress[] = [];
    const stop = new Error('that is enough for today');
    const interrupted = await failureOf(() =>
      rewriteStale(storage, PREFIX, {
        pageSize: 3,
        onProgress: (progress) => {
          seen.push(progress);
          if (seen.length === 2) throw stop;
        },
      }),
    );
    expect(interrupted).to.equal(stop);
    expect(seen.map(({ seen: count }) => count)).to.deep.equal([3, 6]);
    expect(seen[1]?.lastKey).to.equal(keyOf(nameOf(5)));
    const rest = await rewriteStale(storage, PREFIX, { after: seen[1]?.lastKey });
    expect(rest).to.deep.equal({ seen: 4, rewritten: 4, unreadable: 0, lastKey: keyOf(nameOf(9)) });
    expect(await engine.heads()).to.deep.equal(['k8s:enc:aesgcm:v1:new:']);
    const wrong = await failureOf(() =>
      rewriteStale(storage, PREFIX, { after: '/registry/pods/a' }),
    );
    expect(wrong.code).to.equal('INVALID_OPTION');
  });

  it('is not outrun by compaction', async () => {
    await engine.fill(engine.storage(gcm('old')), 10);
    const storage = engine.storage(gcm('new'), gcm('old'));
    const { rewritten } = await rewriteStale(storage, PREFIX, {
      pageSize: 2,
      onProgress: () => {
        void engine.store.status().then(({ revision }) => engine.store.compact(revision));
      },
    });
    expect(rewritten).to.equal(10);
  });

  it('ends when its signal aborts', async () => {
    await engine.fill(engine.storage(gcm('old')), 10);
    const storage = engine.storage(gcm('new'), gcm('old'));
    const controller = new AbortController();
    const onProgress = (): void => controller.abort(new Error('stop'));
    const error = await failureOf(() =>
      rewriteStale(storage, PREFIX, { pageSize: 2, onProgress, signal: controller.signal }),
    );
    expect(error.message).to.equal('stop');
    expect(await engine.heads()).to.have.length(2);
  });

  it('stops at the first object it cannot read, unless it has onUnreadable', async () => {
    const old = engine.storage(gcm('old'));
    await engine.fill(old, 20);
    const storage = engine.storage(gcm('new'), gcm('old'));
    const lost = Buffer.from('k8s:enc:aesgcm:v1:lost:no longer readable');
    const gone = [0, 8, 9, 10, 19].map((index) => keyOf(nameOf(index)));
    for (const key of gone) await engine.put(key, lost);

    const error = await failureOf(() => rewriteStale(storage, PREFIX));
    expect(error).to.include({ code: 'CORRUPT_OBJECT', key: gone[0] });
    const reported: string[] = [];
    const result = await rewriteStale(storage, PREFIX, {
      pageSize: 7,
      onUnreadable: ({ key }) => {
        reported.push(key);
      },
    });
    expect(reported).to.deep.equal(gone);
    expect(result).to.include({ seen: 20, rewritten: 15, unreadable: 5 });
    for (const { key, value } of await engine.values()) {
      if (gone.includes(key)) expect(value, key).to.deep.equal(lost);
    }
  });

  it('does not take a failing key service for unreadable objects', async () => {
    const service = new ScriptedKeyService();
    const { runtime } = engine;
    await engine.fill(engine.storage(new KmsProvider({ name: 'vault', service, runtime })), 3);
    service.outage = new Error('down');
    const storage = engine.storage(
      gcm('new'),
      new KmsProvider({ name: 'vault', service, runtime }),
    );
    const reported: string[] = [];
    const error = await failureOf(() =>
      rewriteStale(storage, PREFIX, { onUnreadable: ({ key }) => reported.push(key) }),
    );
    expect(error.code).to.equal('KEY_SERVICE_FAILED');
    expect(reported).to.deep.equal([]);
  });

  it('leaves objects that expire their time', async () => {
    const { runtime } = engine;
    await runtime.run(async () => {
      await engine.storage(gcm('old')).create(keyOf('short'), secret('short'), { ttlSeconds: 30 });
      await engine.storage(gcm('old')).create(keyOf('long'), secret('long'));
      await sleep(runtime, 10_000);
      const storage = engine.storage(gcm('new'), gcm('old'));
      expect((await rewriteStale(storage, PREFIX)).rewritten).to.equal(2);
      await sleep(runtime, 15_000);
      expect(await storage.get(keyOf('short'), { ignoreNotFound: true })).not.to.equal(undefined);
      await sleep(runtime, 10_000);
      expect(await storage.get(keyOf('short'), { ignoreNotFound: true })).to.equal(undefined);
      expect(await storage.get(keyOf('long'))).not.to.equal(undefined);
    });
  });

  it('leaves no plaintext in the engine, in no revision', async () => {
    const storage = engine.storage(gcm('old'));
    const changes = await engine.store.watch({
      key: '/',
      rangeEnd: prefixEnd('/'),
      startRevision: 1n,
      previous: true,
    });
    await engine.fill(storage, 20);
    await rewriteStale(engine.storage(gcm('new'), gcm('old')), PREFIX);
    await storage.getList(PREFIX).catch(() => {});
    const seen: Uint8Array[] = [];
    for await (const messages of changes) {
      for (const message of messages) {
        if (message.type !== 'event') continue;
        seen.push(message.event.kv.value);
        if (message.event.previous !== undefined) seen.push(message.event.previous.value);
      }
      if (seen.length >= 60) break;
    }
    changes.destroy();
    seen.push(...(await engine.values()).map(({ value }) => value));
    expect(seen.length).to.equal(80);
    for (const value of seen) {
      for (const text of ['hunter2', 'Secret', 'shop', 's-0']) {
        expect(Buffer.from(value).includes(text), text).to.equal(false);
      }
    }
  });
});
