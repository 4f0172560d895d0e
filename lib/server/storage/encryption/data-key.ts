import { createHmac } from 'node:crypto';
import { AesGcmCipher, GCM_NONCE_BYTES, GCM_OVERHEAD_BYTES } from './aes-gcm-cipher.ts';
import { drawBytes, type RandomBytes } from './encryption-provider.ts';

/** Decrypts the values of one data key. */
export interface DataKey {
  /** Returns undefined when the key is wrong, or when data or storage key were changed. */
  open(sealed: Uint8Array, storageKey: string): Uint8Array | undefined;
}

export const SEED_BYTES = 32;
const INFO_BYTES = 32;
/** The counter of the first and only HKDF block, which has as many bytes as a key. */
const FIRST_BLOCK = Buffer.of(1);

/**
 * A seed from which each value gets its own AES-GCM key: HKDF-SHA256 (the expand step, RFC 5869, 2.3) over 32 random bytes,
 * which are stored in front of the nonce. Nonces therefore cannot repeat, and there is no limit on the number of values.
 * @see apiserver pkg/storage/value/encrypt/aes/aes_extended_nonce.go @ 24a394e
 */
export class SeededDataKey implements DataKey {
  readonly #seed: Uint8Array;

  /** The seed has 32 bytes or more. The data key keeps it; the caller must not use it any more. */
  constructor(seed: Uint8Array) {
    this.#seed = seed;
  }

  seal(
    data: Uint8Array,
    randomBytes: RandomBytes,
    storageKey: string,
    head: readonly Uint8Array[],
    tail: readonly Uint8Array[],
  ): Uint8Array {
    const drawn = drawBytes(randomBytes, INFO_BYTES + GCM_NONCE_BYTES);
    const info = drawn.subarray(0, INFO_BYTES);
    const nonce = drawn.subarray(INFO_BYTES);
    return this.#derive(info).seal(data, nonce, storageKey, [...head, info], tail);
  }

  open(sealed: Uint8Array, storageKey: string): Uint8Array | undefined {
    if (sealed.length < SEED_OVERHEAD_BYTES) return undefined;
    const info = sealed.subarray(0, INFO_BYTES);
    return this.#derive(info).open(sealed.subarray(INFO_BYTES), storageKey);
  }

  #derive(info: Uint8Array): AesGcmCipher {
    const hmac = createHmac('sha256', this.#seed).update(info).update(FIRST_BLOCK);
    return new AesGcmCipher(hmac.digest());
  }
}

/** The number of bytes that `seal` adds to the data. */
export const SEED_OVERHEAD_BYTES: number = INFO_BYTES + GCM_OVERHEAD_BYTES;
