import { expect } from 'chai';
import { ListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import {
  AesCbcProvider,
  AesGcmProvider,
} from '../../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import {
  identityProvider,
  type EncryptionProvider,
} from '../../../../../lib/server/storage/encryption/encryption-provider.ts';
import { PrefixTransformers } from '../../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { SecretboxProvider } from '../../../../../lib/server/storage/encryption/secretbox-provider.ts';
import { context, failureOf, plaintext, secretOf } from '../sample.ts';

const gcm = (name: string, secret: Uint8Array = secretOf(name)): EncryptionProvider =>
  new AesGcmProvider({ name, secret });
const cbc = new AesCbcProvider({ name: 'c', secret: secretOf('c') });
const box = new SecretboxProvider({ name: 's', secret: secretOf('s') });

/** Answers later than it is asked. */
function late(provider: EncryptionProvider): EncryptionProvider {
  return {
    prefix: provider.prefix,
    decrypt: async (value, at) => await provider.decrypt(value, at),
    encrypt: async (data, at) => await provider.encrypt(data, at),
  };
}

function failing(prefix: string, error: Error): EncryptionProvider {
  const fail = (): never => {
    throw error;
  };
  return { prefix, decrypt: fail, encrypt: fail };
}

describe('PrefixTransformers', () => {
  it('writes with the first provider, and finds nothing stale in that', async () => {
    const transformer = new PrefixTransformers([gcm('new'), gcm('old'), cbc, identityProvider]);
    const value = await transformer.toStorage(plaintext, context);
    expect(Buffer.from(value).toString('latin1')).to.match(/^k8s:enc:aesgcm:v1:new:/);
    expect(await transformer.fromStorage(value, context)).to.deep.equal({
      data: plaintext,
      stale: false,
    });
  });

  it('reads what any of its providers wrote, and finds it stale behind the first', async () => {
    const providers = [gcm('old'), cbc, box, identityProvider];
    const transformer = new PrefixTransformers([gcm('new'), ...providers]);
    for (const provider of providers) {
      const value = await provider.encrypt(plaintext, context);
      const { data, stale } = await transformer.fromStorage(value, context);
      expect(Buffer.from(data)).to.deep.equal(plaintext);
      expect(stale, provider.prefix).to.equal(true);
    }
  });

  it('answers at once unless a provider does not, and the same then', async () => {
    const inTime = new PrefixTransformers([gcm('new'), gcm('old')]);
    const value = inTime.toStorage(plaintext, context);
    expect(value).to.be.instanceOf(Uint8Array);
    expect(inTime.fromStorage(value as Uint8Array, context)).not.to.be.instanceOf(Promise);

    const other = gcm('old', secretOf('another'));
    const slow = new PrefixTransformers([late(gcm('new')), late(other), late(gcm('old'))]);
    const old = await gcm('old').encrypt(plaintext, context);
    expect(await slow.fromStorage(old, context)).to.deep.equal({ data: plaintext, stale: true });
    const unreadable = await failureOf(() => slow.fromStorage(old, { key: '/elsewhere' }));
    expect(unreadable.code).to.equal('CORRUPT_OBJECT');
    expect(unreadable.message).to.contain('/elsewhere');
  });

  it('ends encryption with identity in front: it reads on, and writes values as they are', async () => {
    const transformer = new PrefixTransformers([identityProvider, gcm('old')]);
    const encrypted = await gcm('old').encrypt(plaintext, context);
    expect(await transformer.fromStorage(encrypted, context)).to.deep.equal({
      data: plaintext,
      stale: true,
    });
    expect(await transformer.toStorage(plaintext, context)).to.equal(plaintext);
    expect(await transformer.fromStorage(plaintext, context)).to.deep.equal({
      data: plaintext,
      stale: false,
    });
  });

  it('tries all keys of the same name in order, so that a key can be replaced under its name', async () => {
    const old = gcm('key', secretOf('before'));
    const transformer = new PrefixTransformers([gcm('key', secretOf('after')), old]);
    const value = await old.encrypt(plaintext, context);
    expect(await transformer.fromStorage(value, context)).to.deep.equal({
      data: plaintext,
      stale: true,
    });
  });

  it('distinguishes names with a common beginning', async () => {
    const transformer = new PrefixTransformers([gcm('a'), gcm('a:b'), gcm('ab')]);
    for (const name of ['a:b', 'ab']) {
      const value = await gcm(name).encrypt(plaintext, context);
      expect(await transformer.fromStorage(value, context)).to.deep.equal({
        data: plaintext,
        stale: true,
      });
    }
  });

  it('names storage key and encryption key of a value that no provider reads, and shows nothing else of it', async () => {
    const transformer = new PrefixTransformers([gcm('new'), identityProvider]);
    const lost = await gcm('lost').encrypt(plaintext, context);
    const heads: [Uint8Array, string][] = [
      [lost, '(k8s:enc:aesgcm:v1:lost:)'],
      [Buffer.from('k8s:enc:future:v9:k:\x00\x01SECRET'), '(k8s:enc:future:v9:k:)'],
      [Buffer.from('k8s:enc:aesgcm:v1:SECRET\nwithout end'), '(k8s:enc:)'],
      [Buffer.from('k8s:enc:'), '(k8s:enc:)'],
    ];
    for (const [value, head] of heads) {
      const error = await failureOf(() => transformer.fromStorage(value, context));
      expect(error.code).to.equal('CORRUPT_OBJECT');
      expect(error).to.have.property('key', context.key);
      expect(error.message).to.contain(head).and.contain(context.key).and.not.contain('SECRET');
    }
    const withoutIdentity = new PrefixTransformers([gcm('new')]);
    const error = await failureOf(() => withoutIdentity.fromStorage(plaintext, context));
    expect(error.code).to.equal('CORRUPT_OBJECT');
    expect(error.message).not.to.contain('hunter2');
  });

  it('names all reasons when several providers of a prefix fail', async () => {
    const first = gcm('key', secretOf('1'));
    const transformer = new PrefixTransformers([
      first,
      failing(first.prefix, new Error('second reason')),
    ]);
    const value = await gcm('key', secretOf('2')).encrypt(plaintext, context);
    const error = await failureOf(() => transformer.fromStorage(value, context));
    expect(error.message)
      .to.contain('cannot be decrypted with AES-GCM key "key"')
      .and.contain('second reason');
    expect(error.message.match(new RegExp(context.key, 'g'))).to.have.length(1);
  });

  it('does not call a value corrupt because of a failure that may pass', async () => {
    const first = gcm('key', secretOf('1'));
    const outage = new ListwatchError('KEY_SERVICE_FAILED', 'the key service "x" does not answer');
    const value = await gcm('key', secretOf('2')).encrypt(plaintext, context);
    for (const providers of [
      [first, failing(first.prefix, outage)],
      [late(failing(first.prefix, outage)), first],
    ]) {
      const transformer = new PrefixTransformers(providers);
      expect(await failureOf(() => transformer.fromStorage(value, context))).to.equal(outage);
    }
  });

  it('needs a provider', async () => {
    expect((await failureOf(() => new PrefixTransformers([]))).code).to.equal('INVALID_OPTION');
  });
});
