import { randomBytes as systemRandomBytes } from 'node:crypto';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import {
  identityTransformer,
  type PlainValue,
  type TransformContext,
} from '../value/transformer.ts';

/**
 * Encrypts values with one key. `PrefixTransformers` makes a transformer from one or several providers.
 *
 * `decrypt` throws when it cannot read the value: a plain `Error` if the value or the key is wrong, a `ListwatchError` if the
 * failure is temporary, e.g. because a key service does not answer.
 *
 * @experimental
 */
export interface EncryptionProvider {
  /** The prefix of the values of this provider, which no other provider uses. Empty for values that are not encrypted. */
  readonly prefix: string;
  /** Takes a whole value, including the prefix. */
  decrypt(value: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue>;
  /** Returns the whole value, including the prefix. */
  encrypt(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array>;
}

/**
 * Values without encryption. After other providers, it reads the values from before encryption; as the first one, it turns
 * encryption off.
 *
 * @experimental
 */
export const identityProvider: EncryptionProvider = {
  prefix: '',
  decrypt: (value, context) => identityTransformer.fromStorage(value, context),
  encrypt: (data) => data,
};

/**
 * The source of keys, nonces and initialization vectors: unpredictable, and never the same twice. It is not a part of `Runtime`,
 * because a repeatable run would repeat its nonces.
 */
export type RandomBytes = (size: number) => Uint8Array;

export { systemRandomBytes };

/** Reads from the source. @throws {ListwatchError} INVALID_OPTION when it returns another number of bytes. */
export function drawBytes(randomBytes: RandomBytes, size: number): Uint8Array {
  const bytes = randomBytes(size);
  if (bytes.length === size) return bytes;
  throw new ListwatchError(
    'INVALID_OPTION',
    `option "randomBytes": asked for ${size} bytes, it gave ${bytes.length}`,
  );
}

/**
 * The name and the bytes of a key.
 *
 * @experimental
 */
export interface EncryptionKey {
  /** Part of the prefix of every value that the key encrypts, and of messages. */
  readonly name: string;
  readonly secret: Uint8Array;
}

/**
 * A private copy of the secret, which other code cannot change.
 * @throws {ListwatchError} INVALID_OPTION for a key without name or of the wrong length.
 */
export function takeSecret(
  owner: string,
  { name, secret }: EncryptionKey,
  lengths: readonly number[],
): Uint8Array {
  if (typeof name !== 'string' || name === '') {
    throw new ListwatchError('INVALID_OPTION', `${owner}: option "name" must not be empty`);
  }
  if (!(secret instanceof Uint8Array) || !lengths.includes(secret.length)) {
    const got = secret instanceof Uint8Array ? `${secret.length} bytes` : typeof secret;
    throw new ListwatchError(
      'INVALID_OPTION',
      `${owner}: the secret of key "${name}" must have ${lengths.join(' or ')} bytes, not ${got}`,
    );
  }
  return Uint8Array.from(secret);
}

/** Valid lengths of AES keys in bytes. */
export const AES_KEY_BYTES: readonly number[] = [16, 24, 32];
