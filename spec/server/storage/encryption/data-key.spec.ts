import { createHmac, hkdfSync, webcrypto } from 'node:crypto';
import { expect } from 'chai';
import { SeededDataKey } from '../../../../lib/server/storage/encryption/data-key.ts';
import { countingBytes, damaged, KEY, plaintext } from './sample.ts';

const salt = Buffer.from('salt');
const input = Buffer.alloc(40, 'i');
/** The result of the first half of HKDF for salt and input, so that the whole of it checks the second half. */
const seed = createHmac('sha256', salt).update(input).digest();

async function written(info: Uint8Array, nonce: Uint8Array): Promise<Buffer> {
  const derived = new Uint8Array(hkdfSync('sha256', input, salt, info, 32));
  const key = await webcrypto.subtle.importKey('raw', derived, 'AES-GCM', false, ['encrypt']);
  const algorithm = {
    name: 'AES-GCM',
    iv: nonce,
    additionalData: Buffer.from(KEY),
    tagLength: 128,
  };
  const sealed = await webcrypto.subtle.encrypt(algorithm, key, plaintext);
  return Buffer.concat([info, nonce, Buffer.from(sealed)]);
}

describe('SeededDataKey', () => {
  it('lays out info, nonce, ciphertext and tag, under a key from HKDF', async () => {
    const bytes = countingBytes();
    const expected = await written(bytes(32), bytes(12));
    const dataKey = new SeededDataKey(seed);
    expect(dataKey.seal(plaintext, countingBytes(), KEY, [], [])).to.deep.equal(expected);
    expect(dataKey.open(expected, KEY)).to.deep.equal(plaintext);
  });

  it('opens nothing that was changed, cut off or moved', async () => {
    const dataKey = new SeededDataKey(seed);
    const sealed = await written(countingBytes()(32), countingBytes()(12));
    for (const broken of damaged(sealed, 0)) expect(dataKey.open(broken, KEY)).to.equal(undefined);
    expect(dataKey.open(sealed, `${KEY}x`)).to.equal(undefined);
  });
});
