import { encryptionHead, isEncrypted } from './encrypted-value.ts';
import { StorageError } from '../contract/storage-error.ts';

/**
 * The storage key of a value. An encrypting transformer binds the value to it, so that it cannot be moved to another key.
 *
 * @experimental
 */
export interface TransformContext {
  readonly key: string;
}

/** @experimental */
export interface PlainValue {
  readonly data: Uint8Array;
  /**
   * Whether the value differs from the form that would be written now (an old encryption key). The next update then writes it,
   * even without a change.
   */
  readonly stale: boolean;
}

/**
 * Converts values to their stored form and back, e.g. encrypts them.
 *
 * @experimental
 */
export interface Transformer {
  /**
   * Throws when the value cannot be read. A `ListwatchError` is passed on to the caller unchanged; any other error is reported as a
   * corrupt value.
   */
  fromStorage(data: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue>;
  toStorage(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array>;
}

/**
 * Stores values as they are. Encrypted values are refused when read: without the key configuration, a reader gets an error and
 * not ciphertext.
 * @see apiserver pkg/storage/value/encrypt/identity/identity.go @ 24a394e
 * @experimental
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
