import { errorMessage } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { SEED_BYTES, SeededDataKey } from './data-key.ts';
import { dataKeyProblem, encodeDataKey, type StoredDataKey } from './encrypted-object.ts';
import { drawBytes, type RandomBytes } from './encryption-provider.ts';
import type { KeyServiceClient } from './key-service.ts';

/** How long the status of a healthy service counts as fresh. */
const FRESH_MS = 60_000;
/** How long a failing service is left alone. */
const RETRY_AFTER_MS = 10_000;
/** How long a data key may write after the last status that confirmed its key id. */
const WRITABLE_MS = 180_000;

/** The key that values are written with at present. */
export interface WriteKey {
  readonly stored: StoredDataKey;
  /** `stored` as it stands behind every value. */
  readonly tail: Uint8Array;
  readonly dataKey: SeededDataKey;
}

export interface KmsWriteKeyOptions {
  readonly client: KeyServiceClient;
  readonly name: string;
  readonly runtime: Runtime;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
  /** Gets every new key before anything is written with it. */
  readonly onNewKey: (key: WriteKey) => void;
}

/**
 * The data key that a KMS provider writes with: made once, and again when the service has another key id. The service is asked
 * when the key is used, at most once a minute; while it fails, the last key writes for up to three minutes.
 *
 * After the service took another key, writes therefore use it, or fail, three minutes later at the latest.
 * @see apiserver pkg/server/options/encryptionconfig/config.go rotateDEKOnKeyIDChange, kmsv2Plugin… @ 24a394e
 */
export class KmsWriteKey {
  readonly #options: KmsWriteKeyOptions;
  #current: WriteKey | undefined;
  #writableUntilMs = -Infinity;
  #askAgainMs = -Infinity;
  #failure: { readonly error: unknown } | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(options: KmsWriteKeyOptions) {
    this.#options = options;
  }

  /** The last key, however old; enough to tell whether a value is stale. */
  get current(): WriteKey | undefined {
    return this.#current;
  }

  /** Waits, while no key is known, for the service to be asked; resolves also when that fails. */
  async settled(): Promise<void> {
    if (this.#current !== undefined || this.#now() < this.#askAgainMs) return;
    await this.refresh().catch(() => {});
  }

  /** A key to write with; a promise only when the service has to answer first. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  forWriting(): WriteKey | Promise<WriteKey> {
    const current = this.#current;
    if (current === undefined || this.#now() > this.#writableUntilMs) return this.#renewed();
    this.refreshIfDue();
    return current;
  }

  /** Asks the service if it is time to; no caller waits for the answer. */
  refreshIfDue(): void {
    if (this.#now() < this.#askAgainMs) return;
    // The failure was logged. The next write that needs the key gets it as its error.
    this.refresh().catch(() => {});
  }

  /** Asks the service now, and makes a new data key if it has another key id. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #renewed(): Promise<WriteKey> {
    if (this.#failure !== undefined && this.#now() < this.#askAgainMs) throw this.#failure.error;
    await this.refresh();
    return this.#current as WriteKey;
  }

  /** Awaits; callers come through `refresh`, so that it runs once at a time. */
  async #refresh(): Promise<void> {
    const { client, logger, name } = this.#options;
    // From before the call: the service may take another key while the answer is under way.
    const askedMs = this.#now();
    try {
      const keyId = await client.status();
      if (this.#current?.stored.keyId !== keyId) {
        const key = await this.#make(keyId);
        this.#options.onNewKey(key);
        this.#current = key;
        logger.info('values are encrypted with a new data key', { provider: name });
      }
      this.#failure = undefined;
      this.#writableUntilMs = askedMs + WRITABLE_MS;
      this.#askAgainMs = askedMs + FRESH_MS;
    } catch (error) {
      this.#failure = { error };
      this.#askAgainMs = this.#now() + RETRY_AFTER_MS;
      const writableForMs = Math.max(0, this.#writableUntilMs - this.#now());
      logger.warn('the key service fails', {
        provider: name,
        error: errorMessage(error),
        writableForMs,
      });
      throw error;
    }
  }

  async #make(keyId: string): Promise<WriteKey> {
    const { client, randomBytes } = this.#options;
    const seed = Uint8Array.from(drawBytes(randomBytes, SEED_BYTES));
    const wrapped = await client.wrap(Uint8Array.from(seed));
    const stored: StoredDataKey = {
      keyId: wrapped.keyId,
      source: Uint8Array.from(wrapped.ciphertext),
      sourceType: 'seed',
      annotations: new Map(wrapped.annotations),
    };
    const problem = dataKeyProblem(stored);
    if (problem !== undefined) {
      throw client.failure(`wrapped a data key in a way that cannot be stored: ${problem}`);
    }
    if (wrapped.keyId !== keyId) {
      throw client.failure('wrapped a data key with another key than its status names');
    }
    return { stored, tail: encodeDataKey(stored), dataKey: new SeededDataKey(seed) };
  }

  #now(): number {
    return this.#options.runtime.monotonicMs();
  }
}
