import type * as Salsa from '@noble/ciphers/salsa.js';
import { loadPeer } from '../../../kernel/options/optional-peer.ts';
import type { PlainValue } from '../value/transformer.ts';
import {
  drawBytes,
  systemRandomBytes,
  takeSecret,
  type EncryptionKey,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';

const OWNER = 'SecretboxProvider';

const SECRETBOX_KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;

let loaded: typeof Salsa | undefined;

function salsa(): typeof Salsa {
  return (loaded ??= loadPeer('@noble/ciphers', '@noble/ciphers/salsa.js', OWNER) as typeof Salsa);
}

/** @experimental */
export interface SecretboxOptions extends EncryptionKey {
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
}

/**
 * NaCl's secretbox (XSalsa20 with Poly1305) with a key of 32 bytes.
 *
 * Guarantees: a value that was changed is not decrypted. Nonces have 192 bits, so the number of values is not limited.
 *
 * Not guaranteed: that a value is under the storage key where it was written. secretbox has no authenticated data, so an attacker
 * who can write to the engine can copy a value to another storage key.
 * @see apiserver pkg/storage/value/encrypt/secretbox/secretbox.go @ 24a394e
 * @experimental
 */
export class SecretboxProvider implements EncryptionProvider {
  readonly prefix: string;
  readonly #name: string;
  readonly #head: Buffer;
  readonly #secret: Uint8Array;
  readonly #randomBytes: RandomBytes;

  /** @throws {ListwatchError} INVALID_OPTION; MISSING_PEER without the package `@noble/ciphers`. */
  constructor(options: SecretboxOptions) {
    salsa();
    this.#secret = takeSecret(OWNER, options, [SECRETBOX_KEY_BYTES]);
    this.#name = options.name;
    this.prefix = `k8s:enc:secretbox:v1:${options.name}:`;
    this.#head = Buffer.from(this.prefix);
    this.#randomBytes = options.randomBytes ?? systemRandomBytes;
  }

  /** @throws {Error} when the value cannot be authenticated. */
  decrypt(value: Uint8Array): PlainValue {
    const sealed = value.subarray(this.#head.length);
    if (sealed.length >= NONCE_BYTES + TAG_BYTES) {
      const box = salsa().secretbox(this.#secret, sealed.subarray(0, NONCE_BYTES));
      try {
        return { data: box.open(sealed.subarray(NONCE_BYTES)), stale: false };
      } catch {
        // The tag is wrong; reported below.
      }
    }
    throw new Error(
      `it cannot be decrypted with secretbox key "${this.#name}": another key or changed data`,
    );
  }

  encrypt(data: Uint8Array): Uint8Array {
    const nonce = drawBytes(this.#randomBytes, NONCE_BYTES);
    return Buffer.concat([this.#head, nonce, salsa().secretbox(this.#secret, nonce).seal(data)]);
  }
}
