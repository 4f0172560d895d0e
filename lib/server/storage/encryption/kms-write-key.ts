import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { SEED_BYTES, SeededDataKey } from './data-key.ts';
import { dataKeyProblem, encodeDataKey, type StoredDataKey } from './encrypted-object.ts';
import { drawBytes, type RandomBytes } from './encryption-provider.ts';
import type { KeyServiceClient } from './key-service.ts';

/** How long the status of a healthy service is considered fresh. */
const FRESH_MS = 60_000;
/** The pause before a failing service is called again. */
const RETRY_AFTER_MS = 10_000;
/** How long a data key may be used for writing after the last status that confirmed its key id. */
const WRITABLE_MS = 180_000;

/** The present key for writing values. */
export interface WriteKey {
  readonly stored: StoredDataKey;
  /** `stored` in the form that follows every value. */
  readonly tail: Uint8Array;
  readonly dataKey: SeededDataKey;
}

export interface KmsWriteKeyOptions {
  readonly client: KeyServiceClient;
  readonly name: string;
  readonly runtime: Runtime;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
  /** Called with every new key before a value is written with it. */
  readonly onNewKey: (key: WriteKey) => void;
}

/**
 * The data key for writing of a KMS provider. It is created at the first use, and again when the service has another key id. The
 * status of the service is read when the key is used, at most once a minute. While the service fails, the last key is used for
 * up to three minutes.
 *
 * So, three minutes after the service changed its key, every write either uses the new key or fails.
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

  /** The last key, of any age; it is enough to see whether a value is stale. */
  get current(): WriteKey | undefined {
    return this.#current;
  }

  /** If no key is known, waits for a call of the service; resolves even if that fails. */
  async settled(): Promise<void> {
    if (this.#current !== undefined || this.#now() < this.#askAgainMs) return;
    await this.refresh().catch(() => {});
  }

  /** A key for writing; a promise only if the service has to be called first. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  forWriting(): WriteKey | Promise<WriteKey> {
    const current = this.#current;
    if (current === undefined || this.#now() > this.#writableUntilMs) return this.#renewed();
    this.refreshIfDue();
    return current;
  }

  /** Starts a call of the service if it is due, without waiting for it. */
  refreshIfDue(): void {
    if (this.#now() < this.#askAgainMs) return;
    // The failure was logged. The next write that needs the key gets it as its error.
    this.refresh().catch(() => {});
  }

  /** Calls the service now, and makes a new data key if the key id has changed. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Whether the service is healthy, by its last response while that is fresh. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  async check(): Promise<void> {
    if (this.#now() >= this.#askAgainMs) await this.refresh();
    else if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #renewed(): Promise<WriteKey> {
    if (this.#failure !== undefined && this.#now() < this.#askAgainMs) throw this.#failure.error;
    await this.refresh();
    return this.#current as WriteKey;
  }

  /** Awaits. Callers use `refresh`, which runs it only once at a time. */
  async #refresh(): Promise<void> {
    const { client, logger, name } = this.#options;
    // The time before the call counts, because the service may change its key during the call.
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
