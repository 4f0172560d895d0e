import { expect } from 'chai';
import { LocalKeyService } from '../../../../lib/server/storage/encryption/local-key-service.ts';
import { damaged, failureOf, secretOf } from './sample.ts';

const dataKey = secretOf('data');
const service = (): LocalKeyService =>
  new LocalKeyService({ keys: [{ name: 'kek-1', secret: secretOf('kek-1') }] });

describe('LocalKeyService', () => {
  it('unwraps what it wrapped, also after it took another key, with or without key id', async () => {
    const keys = service();
    const wrapped = await keys.encrypt(dataKey);
    expect(wrapped.keyId).to.equal('kek-1');
    keys.rotate({ name: 'kek-2', secret: secretOf('kek-2') });
    expect(await keys.status()).to.deep.equal({ keyId: 'kek-2' });
    expect((await keys.encrypt(dataKey)).keyId).to.equal('kek-2');
    for (const one of [wrapped, { ciphertext: wrapped.ciphertext }]) {
      expect(new Uint8Array(await keys.decrypt(one))).to.deep.equal(dataKey);
    }
    expect(Buffer.from(wrapped.ciphertext).includes(Buffer.from(dataKey))).to.equal(false);
  });

  it('refuses what was changed, is wrapped with a key it has not, or claims another one', async () => {
    const keys = service();
    const wrapped = await keys.encrypt(dataKey);
    for (const ciphertext of damaged(wrapped.ciphertext, 0)) {
      expect((await failureOf(() => keys.decrypt({ ciphertext }))).code).to.equal(
        'KEY_SERVICE_FAILED',
      );
    }
    const lie = { ...wrapped, keyId: 'kek-2' };
    expect((await failureOf(() => keys.decrypt(lie))).code).to.equal('KEY_SERVICE_FAILED');
    keys.forget('kek-1');
    expect((await failureOf(() => keys.decrypt(wrapped))).message).to.contain('no key "kek-1"');
    expect((await failureOf(() => keys.encrypt(dataKey))).code).to.equal('KEY_SERVICE_FAILED');
  });

  it('needs a key, and a name only once', async () => {
    expect((await failureOf(() => new LocalKeyService({ keys: [] }))).code).to.equal(
      'INVALID_OPTION',
    );
    const again = { name: 'kek-1', secret: secretOf('x') };
    expect((await failureOf(() => service().rotate(again))).message).to.contain('"kek-1"');
  });

  it('reads the name of the key up to the first zero byte, also an empty name', async () => {
    const ciphertext = Uint8Array.of(0, 1, 2);
    expect((await failureOf(() => service().decrypt({ ciphertext }))).message).to.contain(
      'no key ""',
    );
  });
});
