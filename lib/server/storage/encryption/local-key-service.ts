import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { AesGcmCipher, GCM_NONCE_BYTES } from './aes-gcm-cipher.ts';
import {
  AES_KEY_BYTES,
  drawBytes,
  systemRandomBytes,
  takeSecret,
  type EncryptionKey,
  type RandomBytes,
} from './encryption-provider.ts';
import type { KeyService, WrappedKey } from './key-service.ts';

const OWNER = 'LocalKeyService';

/** @experimental */
export interface LocalKeyServiceOptions {
  /** The first key wraps; all keys unwrap. */
  readonly keys: readonly EncryptionKey[];
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
}

/**
 * A key service in this process, for tests and examples. It offers no protection: its keys are in the same memory as the data.
 *
 * A wrapped key contains the name of the key that wrapped it, so it can be unwrapped without its key id.
 *
 * @experimental
 */
export class LocalKeyService implements KeyService {
  readonly #keys = new Map<string, AesGcmCipher>();
  readonly #randomBytes: RandomBytes;
  #current = '';

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor({ keys, randomBytes = systemRandomBytes }: LocalKeyServiceOptions) {
    const [first] = keys;
    if (first === undefined) {
      throw new ListwatchError('INVALID_OPTION', `${OWNER}: at least one key is needed`);
    }
    this.#randomBytes = randomBytes;
    for (const key of keys) this.#add(key);
    this.#current = first.name;
  }

  /** Wraps with this key from now on; earlier keys still unwrap. @throws {ListwatchError} INVALID_OPTION. */
  rotate(key: EncryptionKey): void {
    this.#add(key);
    this.#current = key.name;
  }

  /** Removes a key; data keys that it wrapped are lost. */
  forget(name: string): void {
    this.#keys.delete(name);
  }

  async status(): Promise<{ readonly keyId: string }> {
    return { keyId: this.#current };
  }

  /** @throws {ListwatchError} KEY_SERVICE_FAILED when the current key was removed. */
  async encrypt(plaintext: Uint8Array): Promise<WrappedKey> {
    const keyId = this.#current;
    const nonce = drawBytes(this.#randomBytes, GCM_NONCE_BYTES);
    const head = Buffer.from(`${keyId}\0`);
    return { ciphertext: this.#key(keyId).seal(plaintext, nonce, keyId, [head]), keyId };
  }

  /** @throws {ListwatchError} KEY_SERVICE_FAILED when this service did not wrap the key. */
  async decrypt({
    ciphertext,
    keyId,
  }: Partial<WrappedKey> & Pick<WrappedKey, 'ciphertext'>): Promise<Uint8Array> {
    const end = ciphertext.indexOf(0);
    const name = Buffer.from(ciphertext.subarray(0, Math.max(end, 0))).toString();
    if (end < 0 || (keyId !== undefined && keyId !== name)) {
      throw new ListwatchError('KEY_SERVICE_FAILED', 'it is not a key that was wrapped here');
    }
    const plaintext = this.#key(name).open(ciphertext.subarray(end + 1), name);
    if (plaintext !== undefined) return plaintext;
    throw new ListwatchError('KEY_SERVICE_FAILED', `it was not wrapped with key "${name}"`);
  }

  #add(key: EncryptionKey): void {
    const secret = takeSecret(OWNER, key, AES_KEY_BYTES);
    if (key.name.includes('\0') || this.#keys.has(key.name)) {
      throw new ListwatchError('INVALID_OPTION', `${OWNER}: there is a key "${key.name}" already`);
    }
    this.#keys.set(key.name, new AesGcmCipher(secret));
  }

  #key(name: string): AesGcmCipher {
    const key = this.#keys.get(name);
    if (key !== undefined) return key;
    throw new ListwatchError('KEY_SERVICE_FAILED', `there is no key "${name}"`);
  }
}
