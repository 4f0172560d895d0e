import { createHmac } from 'node:crypto';
import { AesGcmCipher, GCM_NONCE_BYTES, GCM_OVERHEAD_BYTES } from './aes-gcm-cipher.ts';
import { drawBytes, type RandomBytes } from './encryption-provider.ts';

/** Opens the values of one data key. */
export interface DataKey {
  /** Undefined when it is not the right key, or data or storage key are not what they were. */
  open(sealed: Uint8Array, storageKey: string): Uint8Array | undefined;
}

export const SEED_BYTES = 32;
const INFO_BYTES = 32;
/** The count of the only block that HKDF has to expand: it makes as many bytes as a key has. */
const FIRST_BLOCK = Buffer.of(1);

/**
 * A seed from which every value gets an AES-GCM key of its own, by HKDF-SHA256 (its second half, RFC 5869, 2.3) from 32
 * random bytes that are stored in front of the nonce. So nonces cannot repeat, and the seed does not wear out.
 * @see apiserver pkg/storage/value/encrypt/aes/aes_extended_nonce.go @ 24a394e
 */
export class SeededDataKey implements DataKey {
  readonly #seed: Uint8Array;

  /** The seed has 32 bytes or more, and is the data key's from now on. */
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

/** How many bytes `seal` adds to the data. */
export const SEED_OVERHEAD_BYTES: number = INFO_BYTES + GCM_OVERHEAD_BYTES;
