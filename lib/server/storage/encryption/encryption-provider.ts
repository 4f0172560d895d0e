import { randomBytes as systemRandomBytes } from 'node:crypto';
import { ListwatchError } from '../../../kernel/errors.ts';
import {
  identityTransformer,
  type PlainValue,
  type TransformContext,
} from '../value/transformer.ts';

/**
 * One way to encrypt values under one key. `PrefixTransformers` makes a transformer of one or several.
 *
 * `decrypt` throws when it cannot read the value: a plain `Error` when that is the fault of value or key, a `ListwatchError`
 * when it may pass, e.g. because a key service does not answer.
 */
export interface EncryptionProvider {
  /** The prefix of the values of this provider, and of no others; empty for values as they are. */
  readonly prefix: string;
  /** Takes a whole value, which begins with the prefix. */
  decrypt(value: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue>;
  /** Gives the whole value, prefix included. */
  encrypt(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array>;
}

/** Values as they are. Behind other providers it reads what was stored before there was encryption; in front, it ends it. */
export const identityProvider: EncryptionProvider = {
  prefix: '',
  decrypt: (value, context) => identityTransformer.fromStorage(value, context),
  encrypt: (data) => data,
};

/**
 * The source of keys, nonces and initialization vectors: unpredictable, and never the same twice. Not a part of `Runtime`,
 * because a run that can be repeated is one whose nonces repeat.
 */
export type RandomBytes = (size: number) => Uint8Array;

export { systemRandomBytes };

/** Draws from the source. @throws {ListwatchError} INVALID_OPTION when it gives another number of bytes. */
export function drawBytes(randomBytes: RandomBytes, size: number): Uint8Array {
  const bytes = randomBytes(size);
  if (bytes.length === size) return bytes;
  throw new ListwatchError(
    'INVALID_OPTION',
    `option "randomBytes": asked for ${size} bytes, it gave ${bytes.length}`,
  );
}

/** The name and the bytes of a key. */
export interface EncryptionKey {
  /** Stands in front of every value the key encrypts, and in messages. */
  readonly name: string;
  readonly secret: Uint8Array;
}

/**
 * A private copy of the secret, which no other code can change.
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

/** Lengths of AES keys in bytes. */
export const AES_KEY_BYTES: readonly number[] = [16, 24, 32];
