import { createCipheriv } from 'node:crypto';
import { expect } from 'chai';
import { AesCbcProvider } from '../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import { PrefixTransformers } from '../../../../lib/server/storage/encryption/configuration/prefix-transformers.ts';
import { context, countingBytes, failureOf, plaintext, roundTrip, secretOf } from './sample.ts';

/** CBC by hand, from single blocks: every block is mixed with the one before it and encrypted by itself. */
function written(secret: Uint8Array, vector: Uint8Array, padded: Uint8Array): Buffer {
  const blocks: Uint8Array[] = [Buffer.from('k8s:enc:aescbc:v1:key1:'), vector];
  for (let at = 0; at < padded.length; at += 16) {
    const before = blocks.at(-1)!;
    const mixed = padded.subarray(at, at + 16).map((byte, index) => byte ^ before[index]!);
    const block = createCipheriv(`aes-${secret.length * 8}-ecb`, secret, null).setAutoPadding(
      false,
    );
    blocks.push(block.update(mixed));
  }
  return Buffer.concat(blocks);
}

/** PKCS#7: as many bytes as are missing, each with their number. */
function pad(data: Uint8Array): Buffer {
  const missing = 16 - (data.length % 16);
  return Buffer.concat([data, Buffer.alloc(missing, missing)]);
}

const HEAD_BYTES = 'k8s:enc:aescbc:v1:key1:'.length;

describe('AesCbcProvider', () => {
  for (const size of [16, 24, 32]) {
    it(`writes and reads the layout of Kubernetes with a key of ${size} bytes`, () => {
      const secret = secretOf('one', size);
      const provider = new AesCbcProvider({ name: 'key1', secret, randomBytes: countingBytes() });
      const expected = written(secret, countingBytes()(16), pad(plaintext));
      expect(provider.encrypt(plaintext)).to.deep.equal(expected);
      expect(provider.decrypt(expected)).to.deep.equal({ data: plaintext, stale: false });
    });
  }

  it('reads what it wrote, at every length', async () => {
    const transformer = new PrefixTransformers([
      new AesCbcProvider({ name: 'key1', secret: secretOf('one') }),
    ]);
    for (const length of [0, 1, 15, 16, 17, 4096, 1_500_000]) {
      const data = new Uint8Array(length).fill(length % 251);
      expect(Buffer.compare(await roundTrip(transformer, data), data)).to.equal(0);
    }
  });

  it('does not open wrong lengths and wrong paddings, and reports all of them alike', async () => {
    const secret = secretOf('one');
    const transformer = new PrefixTransformers([new AesCbcProvider({ name: 'key1', secret })]);
    const value = written(secret, new Uint8Array(16), pad(plaintext));
    const unpadded = Buffer.alloc(32, 'x');
    const broken = [
      value.subarray(0, HEAD_BYTES),
      value.subarray(0, HEAD_BYTES + 5),
      value.subarray(0, HEAD_BYTES + 16),
      value.subarray(0, HEAD_BYTES + 40),
      value.subarray(0, HEAD_BYTES + 48),
      written(secret, new Uint8Array(16), unpadded),
      written(secret, new Uint8Array(16), Buffer.concat([unpadded.subarray(16), Buffer.alloc(16)])),
      written(secret, new Uint8Array(16), Buffer.concat([unpadded.subarray(1), Buffer.of(17)])),
      written(secret, new Uint8Array(16), Buffer.concat([unpadded.subarray(1), Buffer.of(2)])),
    ];
    const messages = new Set<string>();
    for (const one of broken) {
      const error = await failureOf(() => transformer.fromStorage(one, context));
      expect(error.code).to.equal('CORRUPT_OBJECT');
      messages.add(error.message);
    }
    expect(messages.size).to.equal(1);
    expect([...messages][0])
      .to.contain('AES-CBC key "key1"')
      .and.contain(context.key);
  });

  it('opens a value that was moved: CBC has no authenticated data', async () => {
    const transformer = new PrefixTransformers([
      new AesCbcProvider({ name: 'key1', secret: secretOf('one') }),
    ]);
    const value = await transformer.toStorage(plaintext, context);
    const { data } = await transformer.fromStorage(value, { key: '/registry/secrets/other/db' });
    expect(data).to.deep.equal(plaintext);
  });

  it('refuses keys of another length', async () => {
    const make = (): unknown => new AesCbcProvider({ name: 'key1', secret: new Uint8Array(20) });
    expect((await failureOf(make)).code).to.equal('INVALID_OPTION');
  });
});
