import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';

export const GCM_NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG: { readonly authTagLength: number } = { authTagLength: TAG_BYTES };

/** AES-GCM with the storage key as authenticated data. The layout is nonce, ciphertext, tag. */
export class AesGcmCipher {
  readonly #algorithm: CipherGCMTypes;
  readonly #secret: Uint8Array;

  /** The secret has 16, 24 or 32 bytes. The cipher keeps it; the caller must not use it any more. */
  constructor(secret: Uint8Array) {
    this.#algorithm = `aes-${secret.length * 8}-gcm` as CipherGCMTypes;
    this.#secret = secret;
  }

  /** The encrypted data, with `head` before and `tail` after it. */
  seal(
    data: Uint8Array,
    nonce: Uint8Array,
    storageKey: string,
    head: readonly Uint8Array[],
    tail: readonly Uint8Array[] = [],
  ): Uint8Array {
    const cipher = createCipheriv(this.#algorithm, this.#secret, nonce, TAG);
    cipher.setAAD(Buffer.from(storageKey, 'utf8'));
    const encrypted = cipher.update(data);
    cipher.final();
    return Buffer.concat([...head, nonce, encrypted, cipher.getAuthTag(), ...tail]);
  }

  /** Returns undefined when the key is wrong, or when nonce, ciphertext, tag or storage key were changed. */
  open(sealed: Uint8Array, storageKey: string): Uint8Array | undefined {
    const end = sealed.length - TAG_BYTES;
    if (end < GCM_NONCE_BYTES) return undefined;
    const nonce = sealed.subarray(0, GCM_NONCE_BYTES);
    const decipher = createDecipheriv(this.#algorithm, this.#secret, nonce, TAG);
    decipher.setAAD(Buffer.from(storageKey, 'utf8'));
    decipher.setAuthTag(sealed.subarray(end));
    const data = decipher.update(sealed.subarray(GCM_NONCE_BYTES, end));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return data;
  }
}

/** The number of bytes that `seal` adds to the data. */
export const GCM_OVERHEAD_BYTES: number = GCM_NONCE_BYTES + TAG_BYTES;
