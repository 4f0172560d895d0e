import { encryptionHead, isEncrypted } from './encrypted-value.ts';
import { StorageError } from '../contract/storage-error.ts';

/** The storage key of a value; an encrypting transformer binds the value to it, so that it cannot be moved to another key. */
export interface TransformContext {
  readonly key: string;
}

export interface PlainValue {
  readonly data: Uint8Array;
  /** Readable, but not what would be written now (an old encryption key): the next update rewrites it, changed or not. */
  readonly stale: boolean;
}

/** Turns values into what is stored and back, e.g. encrypts them. */
export interface Transformer {
  /**
   * Throws when the value cannot be read. A `ListwatchError` says itself what is wrong and reaches the caller as it is;
   * anything else is taken for a corrupt value.
   */
  fromStorage(data: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue>;
  toStorage(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array>;
}

/**
 * Stores values as they are. Encrypted ones are refused on reading: without the key configuration a reader gets an error, not
 * ciphertext in place of an object.
 * @see apiserver pkg/storage/value/encrypt/identity/identity.go @ 24a394e
 */
export const identityTransformer: Transformer = {
  fromStorage: (data: Uint8Array, { key }: TransformContext): PlainValue => {
    if (!isEncrypted(data)) return { data, stale: false };
    const head = encryptionHead(data);
    const message = `the stored value is encrypted (${head}), and no key for it is configured`;
    throw new StorageError('CORRUPT_OBJECT', key, message);
  },
  toStorage: (data: Uint8Array): Uint8Array => data,
};
