import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import { identityTransformer } from '../../../../lib/server/storage/value/transformer.ts';

describe('the identity transformer', () => {
  it('gives values back as they are', () => {
    const data = Buffer.from('{"kind":"Pod"}');
    expect(identityTransformer.toStorage(data, { key: '/a' })).to.equal(data);
    expect(identityTransformer.fromStorage(data, { key: '/a' })).to.deep.equal({
      data,
      stale: false,
    });
    const almost = Buffer.from('k8s:enc');
    expect(identityTransformer.fromStorage(almost, { key: '/a' })).to.deep.equal({
      data: almost,
      stale: false,
    });
  });

  it('refuses what another transformer encrypted, and leaves it in the engine', async () => {
    const runtime = new VirtualRuntime();
    const store = new EmbeddedKeyValueStore({ runtime });
    const key = '/registry/secrets/shop/db';
    const value = Buffer.from('k8s:enc:secretbox:v1:key1:\x01\x02\x03');
    await store.txn({ compare: [], success: [{ type: 'put', key, value }] });
    const storage = new KeyValueStorage({ store, resourcePrefix: '/registry/secrets', runtime });
    const attempts = [
      () => storage.get(key),
      () => storage.delete(key),
      () => storage.guaranteedUpdate(key, ({ existing }) => ({ object: existing! })),
    ];
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => undefined,
        (reason: unknown) => reason as Error & { code: string; key: string },
      );
      expect(error).to.include({ code: 'CORRUPT_OBJECT', key });
      expect(error?.message).to.contain('k8s:enc:secretbox:v1:key1:').and.contain(key);
      expect(error?.message.match(/\(key /g)).to.have.length(1);
    }
    const listing = await storage.getList('/registry/secrets/').catch((reason: unknown) => reason);
    expect((listing as Error).message)
      .to.contain('k8s:enc:secretbox:v1:key1:')
      .and.contain(key);
    expect((await store.range({ key })).items[0]?.value).to.deep.equal(value);
    await store.close();
  });
});
