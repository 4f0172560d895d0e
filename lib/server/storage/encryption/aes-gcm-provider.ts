import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is } from '../../../kernel/options/options-schema.ts';
import type { PlainValue, TransformContext } from '../value/transformer.ts';
import { AesGcmCipher, GCM_NONCE_BYTES } from './aes-gcm-cipher.ts';
import {
  AES_KEY_BYTES,
  drawBytes,
  systemRandomBytes,
  takeSecret,
  type EncryptionKey,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
import { createCipheriv, createDecipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;

/** @experimental */
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
 * @experimental
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
    this.#secret = takeSecret('AesCbcProvider', options, AES_KEY_BYTES);
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

const OWNER = 'AesGcmProvider';

/** With random nonces of 96 bits a key may encrypt this many values (NIST SP 800-38D, 8.3). */
const MOST_WRITES = 2 ** 32;
const LIMIT = is.integer({ min: 1, max: MOST_WRITES }).default(MOST_WRITES);

/**
 * Counts the values that one key has encrypted; all providers with the same key share it.
 *
 * @experimental
 */
export class KeyUsage {
  /** Values encrypted so far in this process. */
  writes = 0;
  readonly mostWrites: number;

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor(mostWrites?: number) {
    this.mostWrites = LIMIT.read('KeyUsage', 'mostWrites', mostWrites);
  }

  /** Counts one more value. @throws {ListwatchError} ENCRYPTION_KEY_EXHAUSTED. */
  count(name: string): void {
    if (this.writes >= this.mostWrites) {
      throw new ListwatchError(
        'ENCRYPTION_KEY_EXHAUSTED',
        `the AES-GCM key "${name}" has encrypted ${this.writes} values, more would not be safe: put a new key in front of it`,
      );
    }
    this.writes += 1;
  }
}

/** @experimental */
export interface AesGcmOptions extends EncryptionKey {
  /** @defaultValue a new count, up to 2^32 */
  readonly usage?: KeyUsage | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
}

/**
 * AES-GCM with a key of 16, 24 or 32 bytes.
 *
 * Guarantees:
 * - A value that was changed, or moved to another storage key, is not decrypted.
 * - One provider encrypts at most 2^32 values and then refuses, because random nonces would begin to repeat.
 *
 * Not guaranteed: that the count outlives the process. A key that several processes or restarts share has to be rotated in
 * time. `KmsProvider` has no such limit.
 * @see apiserver pkg/storage/value/encrypt/aes/aes.go @ 24a394e
 * @experimental
 */
export class AesGcmProvider implements EncryptionProvider {
  readonly prefix: string;
  readonly #name: string;
  readonly #head: Buffer;
  readonly #cipher: AesGcmCipher;
  readonly #usage: KeyUsage;
  readonly #randomBytes: RandomBytes;

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor(options: AesGcmOptions) {
    this.#cipher = new AesGcmCipher(takeSecret(OWNER, options, AES_KEY_BYTES));
    this.#name = options.name;
    this.prefix = `k8s:enc:aesgcm:v1:${options.name}:`;
    this.#head = Buffer.from(this.prefix);
    this.#usage = options.usage ?? new KeyUsage();
    this.#randomBytes = options.randomBytes ?? systemRandomBytes;
  }

  /** @throws {Error} when the value cannot be authenticated. */
  decrypt(value: Uint8Array, { key }: TransformContext): PlainValue {
    const data = this.#cipher.open(value.subarray(this.#head.length), key);
    if (data !== undefined) return { data, stale: false };
    throw new Error(
      `it cannot be decrypted with AES-GCM key "${this.#name}": another key, changed data, or a value from another storage key`,
    );
  }

  /** @throws {ListwatchError} ENCRYPTION_KEY_EXHAUSTED. */
  encrypt(data: Uint8Array, { key }: TransformContext): Uint8Array {
    this.#usage.count(this.#name);
    const nonce = drawBytes(this.#randomBytes, GCM_NONCE_BYTES);
    return this.#cipher.seal(data, nonce, key, [this.#head]);
  }
}
