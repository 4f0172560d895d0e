import {
  errorMessage,
  isListwatchError,
  ListwatchError,
} from '../../../../kernel/failure/errors.ts';
import { encryptionHead, startsWith } from '../../value/encrypted-value.ts';
import { isStorageError, StorageError } from '../../contract/storage-error.ts';
import type { PlainValue, TransformContext, Transformer } from '../../value/transformer.ts';
import type { EncryptionProvider } from '../encryption-provider.ts';

interface Entry {
  readonly head: Uint8Array;
  readonly provider: EncryptionProvider;
}

/**
 * Combines several providers into one transformer: the first one writes, all of them read.
 *
 * Guarantees:
 * - A value that a provider other than the first one reads is stale: the next update, or `rewriteStale`, writes it again.
 * - If several providers have the prefix of a value, they are tried in order. A key can therefore be replaced under its name.
 * - A value that no provider can read gives CORRUPT_OBJECT with its storage key and the name of its encryption key only.
 *
 * It returns a promise only where a provider does.
 * @see apiserver pkg/storage/value/transformer.go NewPrefixTransformers @ 24a394e
 * @experimental
 */
export class PrefixTransformers implements Transformer {
  readonly #entries: readonly Entry[];
  readonly #first: EncryptionProvider;

  /** @throws {ListwatchError} INVALID_OPTION when there is no provider. */
  constructor(providers: readonly EncryptionProvider[]) {
    const [first] = providers;
    if (first === undefined) {
      throw new ListwatchError(
        'INVALID_OPTION',
        'PrefixTransformers: at least one provider is needed',
      );
    }
    this.#first = first;
    this.#entries = providers.map((provider) => ({ head: Buffer.from(provider.prefix), provider }));
  }

  /** @throws {StorageError} CORRUPT_OBJECT. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  fromStorage(data: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue> {
    return this.#read(data, context, 0, []);
  }

  toStorage(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array> {
    return this.#first.encrypt(data, context);
  }

  /** Tries the providers from index `from` on; `failures` are the errors of the earlier ones. */
  #read(
    data: Uint8Array,
    context: TransformContext,
    from: number,
    failures: readonly unknown[],
  ): PlainValue | Promise<PlainValue> {
    let failed = failures;
    for (let index = from; index < this.#entries.length; index += 1) {
      const { head, provider } = this.#entries[index] as Entry;
      if (!startsWith(data, head)) continue;
      try {
        const plain = provider.decrypt(data, context);
        if (!(plain instanceof Promise)) return marked(plain, index);
        return plain.then(
          (value) => marked(value, index),
          (error: unknown) => this.#read(data, context, index + 1, [...failed, error]),
        );
      } catch (error) {
        // An encrypted value that the identity provider refuses may still belong to another provider.
        if (head.length > 0) failed = [...failed, error];
      }
    }
    throw failure(data, context, failed);
  }
}

function marked(plain: PlainValue, index: number): PlainValue {
  return index === 0 || plain.stale ? plain : { data: plain.data, stale: true };
}

function failure(data: Uint8Array, { key }: TransformContext, failures: readonly unknown[]): Error {
  const head = encryptionHead(data);
  if (failures.length === 0) {
    const known = 'no configured provider knows its prefix';
    return new StorageError(
      'CORRUPT_OBJECT',
      key,
      `the stored value cannot be read: ${known} (${head})`,
    );
  }
  // A temporary failure must not make the value look corrupt.
  const passing = failures.find((error) => isListwatchError(error) && !isStorageError(error));
  if (passing !== undefined) return passing as Error;
  const reasons = failures.map(errorMessage).join('; ');
  const cause = failures.length === 1 ? failures[0] : new AggregateError(failures, reasons);
  const message = `the stored value (${head}) cannot be decrypted: ${reasons}`;
  return new StorageError('CORRUPT_OBJECT', key, message, cause);
}
