import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { PlainValue } from '../value/transformer.ts';
import {
  AES_KEY_BYTES,
  drawBytes,
  systemRandomBytes,
  takeSecret,
  type EncryptionKey,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';

const OWNER = 'AesCbcProvider';
const BLOCK_BYTES = 16;

export interface AesCbcOptions extends EncryptionKey {
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
}

/**
 * AES-CBC with PKCS#7 padding and a key of 16, 24 or 32 bytes, for reading values that were written with it.
 *
 * Not guaranteed: integrity. CBC does not authenticate, so a value may be changed, or moved to another storage key, without
 * being noticed. With a wrong key, one value in 256 decrypts to random bytes, which only the codec refuses. Prefer
 * `SecretboxProvider`, `AesGcmProvider` or `KmsProvider` for writing.
 * @see apiserver pkg/storage/value/encrypt/aes/aes.go @ 24a394e
 */
export class AesCbcProvider implements EncryptionProvider {
  readonly prefix: string;
  readonly #name: string;
  readonly #head: Buffer;
  readonly #algorithm: string;
  readonly #secret: Uint8Array;
  readonly #randomBytes: RandomBytes;

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor(options: AesCbcOptions) {
    this.#secret = takeSecret(OWNER, options, AES_KEY_BYTES);
    this.#algorithm = `aes-${this.#secret.length * 8}-cbc`;
    this.#name = options.name;
    this.prefix = `k8s:enc:aescbc:v1:${options.name}:`;
    this.#head = Buffer.from(this.prefix);
    this.#randomBytes = options.randomBytes ?? systemRandomBytes;
  }

  /** @throws {Error} when length or padding are wrong; the message does not say which bytes. */
  decrypt(value: Uint8Array): PlainValue {
    const sealed = value.subarray(this.#head.length);
    if (sealed.length >= 2 * BLOCK_BYTES && sealed.length % BLOCK_BYTES === 0) {
      const vector = sealed.subarray(0, BLOCK_BYTES);
      const decipher = createDecipheriv(this.#algorithm, this.#secret, vector);
      const data = decipher.update(sealed.subarray(BLOCK_BYTES));
      try {
        return { data: Buffer.concat([data, decipher.final()]), stale: false };
      } catch {
        // The padding is wrong; reported below like every other failure.
      }
    }
    throw new Error(
      `it cannot be decrypted with AES-CBC key "${this.#name}": another key or changed data`,
    );
  }

  encrypt(data: Uint8Array): Uint8Array {
    const vector = drawBytes(this.#randomBytes, BLOCK_BYTES);
    const cipher = createCipheriv(this.#algorithm, this.#secret, vector);
    return Buffer.concat([this.#head, vector, cipher.update(data), cipher.final()]);
  }
}
