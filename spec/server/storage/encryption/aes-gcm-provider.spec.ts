import { webcrypto } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  AesGcmProvider,
  KeyUsage,
} from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import {
  context,
  countingBytes,
  damaged,
  failureOf,
  KEY,
  plaintext,
  roundTrip,
  secretOf,
} from './sample.ts';

/** A value as Kubernetes lays it out, made by another implementation than the one under test. */
async function written(secret: Uint8Array, nonce: Uint8Array, key: string = KEY): Promise<Buffer> {
  const imported = await webcrypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt']);
  const algorithm = {
    name: 'AES-GCM',
    iv: nonce,
    additionalData: Buffer.from(key),
    tagLength: 128,
  };
  const sealed = await webcrypto.subtle.encrypt(algorithm, imported, plaintext);
  return Buffer.concat([Buffer.from('k8s:enc:aesgcm:v1:key1:'), nonce, Buffer.from(sealed)]);
}

const transformerOf = (secret: Uint8Array): PrefixTransformers =>
  new PrefixTransformers([new AesGcmProvider({ name: 'key1', secret })]);

describe('AesGcmProvider', () => {
  for (const size of [16, 24, 32]) {
    it(`writes and reads the layout of Kubernetes with a key of ${size} bytes`, async () => {
      const secret = secretOf('one', size);
      const randomBytes = countingBytes();
      const provider = new AesGcmProvider({ name: 'key1', secret, randomBytes });
      const nonce = countingBytes()(12);
      const expected = await written(secret, nonce);
      expect(provider.encrypt(plaintext, context)).to.deep.equal(expected);
      expect(provider.decrypt(expected, context)).to.deep.equal({ data: plaintext, stale: false });
    });
  }

  it('reads what it wrote, at every length', async () => {
    const transformer = transformerOf(secretOf('one'));
    for (const length of [0, 1, 15, 16, 17, 4096, 1_500_000]) {
      const data = new Uint8Array(length).fill(length % 251);
      expect(Buffer.compare(await roundTrip(transformer, data), data)).to.equal(0);
    }
  });

  it('takes a new nonce for every value', () => {
    const provider = new AesGcmProvider({ name: 'key1', secret: secretOf('one') });
    const nonces = Array.from({ length: 200 }, () =>
      Buffer.from(provider.encrypt(plaintext, context).subarray(23, 35)).toString('hex'),
    );
    expect(new Set(nonces).size).to.equal(200);
  });

  it('does not open a value that was moved to another storage key', async () => {
    const transformer = transformerOf(secretOf('one'));
    const value = await transformer.toStorage(plaintext, context);
    const error = await failureOf(() =>
      transformer.fromStorage(value, { key: '/registry/secrets/evil/db' }),
    );
    expect(error.code).to.equal('CORRUPT_OBJECT');
    expect(error).to.have.property('key', '/registry/secrets/evil/db');
    expect(error.message).to.contain('key "key1"').and.contain('/registry/secrets/evil/db');
  });

  it('does not open a value of which a bit was changed or an end was cut off', async () => {
    const transformer = transformerOf(secretOf('one'));
    const value = await transformer.toStorage(plaintext, context);
    for (const broken of damaged(value, 23)) {
      const error = await failureOf(() => transformer.fromStorage(broken, context));
      expect(error.code).to.equal('CORRUPT_OBJECT');
      expect(error.message).not.to.contain('hunter2');
    }
  });

  it('does not open a value with another key, and does not reveal the key', async () => {
    const value = await transformerOf(secretOf('one')).toStorage(plaintext, context);
    const secret = secretOf('two');
    const error = await failureOf(() => transformerOf(secret).fromStorage(value, context));
    expect(error.code).to.equal('CORRUPT_OBJECT');
    const printed =
      inspect(error, { depth: 10 }) +
      inspect(transformerOf(secret), { depth: 10, showHidden: true });
    expect(printed).not.to.contain(Buffer.from(secret).toString('hex'));
    expect(printed).not.to.contain(Buffer.from(secret).toString('base64'));
    expect(printed).not.to.match(/Uint8Array|<Buffer/);
  });

  it('refuses to encrypt more values than is safe for a key, also when providers share it', async () => {
    const usage = new KeyUsage(3);
    const [one, two] = [1, 2].map(
      () => new AesGcmProvider({ name: 'key1', secret: secretOf('one'), usage }),
    );
    one!.encrypt(plaintext, context);
    two!.encrypt(plaintext, context);
    const last = one!.encrypt(plaintext, context);
    for (const provider of [one!, two!]) {
      const error = await failureOf(() => provider.encrypt(plaintext, context));
      expect(error.code).to.equal('ENCRYPTION_KEY_EXHAUSTED');
      expect(error.message).to.contain('"key1"').and.contain('put a new key in front');
    }
    expect(two!.decrypt(last, context).data).to.deep.equal(plaintext);
    expect(new KeyUsage().mostWrites).to.equal(2 ** 32);
    expect((await failureOf(() => new KeyUsage(2 ** 33))).code).to.equal('INVALID_OPTION');
  });

  it('keeps its key when the caller overwrites his', async () => {
    const secret = secretOf('one');
    const transformer = transformerOf(secret);
    const value = await transformer.toStorage(plaintext, context);
    secret.fill(0);
    expect((await transformer.fromStorage(value, context)).data).to.deep.equal(plaintext);
  });

  it('refuses keys without name or of another length, and a random source that gives too little', async () => {
    for (const size of [0, 8, 15, 31, 33, 64]) {
      const error = await failureOf(() => transformerOf(new Uint8Array(size)));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain('16 or 24 or 32 bytes').and.contain(`${size} bytes`);
    }
    const nameless = await failureOf(
      () => new AesGcmProvider({ name: '', secret: secretOf('one') }),
    );
    expect(nameless.message).to.contain('"name"');
    const randomBytes = (): Uint8Array => new Uint8Array(3);
    const poor = new AesGcmProvider({ name: 'key1', secret: secretOf('one'), randomBytes });
    expect((await failureOf(() => poor.encrypt(plaintext, context))).code).to.equal(
      'INVALID_OPTION',
    );
  });
});
