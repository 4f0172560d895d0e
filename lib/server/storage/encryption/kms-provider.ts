import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { PlainValue, TransformContext } from '../value/transformer.ts';
import { AesGcmCipher } from './aes-gcm-cipher.ts';
import { CACHED_DATA_KEYS, DataKeyCache, hashOf } from './data-key-cache.ts';
import { SEED_BYTES, SEED_OVERHEAD_BYTES, SeededDataKey, type DataKey } from './data-key.ts';
import {
  decodeEncryptedObject,
  encodeDataHead,
  dataKeyProblem,
  encodeDataKey,
  type EncryptedObject,
  type StoredDataKey,
} from './encrypted-object.ts';
import {
  AES_KEY_BYTES,
  systemRandomBytes,
  drawBytes,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
import { KEY_SERVICE_TIMEOUT_MS, KeyServiceClient, type KeyService } from './key-service.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';

/** How long the status of a healthy service is considered fresh. */
const FRESH_MS = 60_000;
/** The pause before a failing service is called again. */
const RETRY_AFTER_MS = 10_000;
/** How long a data key may be used for writing after the last status that confirmed its key id. */
const WRITABLE_MS = 180_000;

/** The present key for writing values. */
interface WriteKey {
  readonly stored: StoredDataKey;
  /** `stored` in the form that follows every value. */
  readonly tail: Uint8Array;
  readonly dataKey: SeededDataKey;
}

interface KmsWriteKeyOptions {
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
class KmsWriteKey {
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

const OWNER = 'KmsProvider';

/** @experimental */
export interface KmsOptions {
  /** The name of the key service; part of the prefix of every value. It must not contain a colon. */
  readonly name: string;
  readonly service: KeyService;
  /** Longest wait for a response of the service, milliseconds. @defaultValue 3 000 */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of unwrapped data keys in the cache. @defaultValue 1 000 */
  readonly cacheSize?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

const KMS = optionsOf<KmsOptions>()(OWNER, {
  name: is.openRule<string>('a text that is not empty and has no colon', (given) => {
    return typeof given === 'string' && given !== '' && !given.includes(':');
  }).required,
  service: is.object().required,
  timeoutMs: is.number({ min: 1 }).default(KEY_SERVICE_TIMEOUT_MS),
  cacheSize: is.integer({ min: 1 }).default(CACHED_DATA_KEYS),
  runtime: is.object().default(realRuntime),
  randomBytes: is.callback().default(systemRandomBytes),
  logger: LOGGER.default(consoleLogger),
});

/**
 * Envelope encryption, version 2 of the KMS interface. The key service wraps a seed, and each value gets its own key derived
 * from the seed. The service is called for a new seed and for seeds that are not in the cache, not for each value.
 *
 * Guarantees:
 * - A value that was changed, or moved to another storage key, is not decrypted.
 * - Keys do not wear out, even if many processes write with one service.
 * - When the service changes its key, new values use the new key within three minutes (after `refresh`, at once), and values
 *   under the old key are stale.
 * - When the service fails, operations that need it fail with KEY_SERVICE_FAILED, never with CORRUPT_OBJECT. Values whose keys
 *   are in the cache stay readable, and writes continue for three minutes.
 * @see apiserver pkg/storage/value/encrypt/envelope/kmsv2/envelope.go @ 24a394e
 * @experimental
 */
export class KmsProvider implements EncryptionProvider {
  readonly prefix: string;
  readonly #head: Buffer;
  readonly #client: KeyServiceClient;
  readonly #cache: DataKeyCache<DataKey>;
  readonly #writeKey: KmsWriteKey;
  readonly #randomBytes: RandomBytes;

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor(options: KmsOptions) {
    const { name, service, timeoutMs, cacheSize, runtime, randomBytes, logger } = KMS.read(options);
    this.prefix = `k8s:enc:kms:v2:${name}:`;
    this.#head = Buffer.from(this.prefix);
    this.#client = new KeyServiceClient({ name, service, timeoutMs, runtime });
    this.#cache = new DataKeyCache(cacheSize);
    this.#randomBytes = randomBytes;
    this.#writeKey = new KmsWriteKey({
      client: this.#client,
      name,
      runtime,
      logger,
      randomBytes: this.#randomBytes,
      onNewKey: ({ stored, dataKey }) => {
        this.#cache.keep(idOf(stored), dataKey);
      },
    });
  }

  /**
   * Asks the service for its status now. Call it before a rotation of keys, so that values under the old key no longer count as
   * up to date.
   * @throws {ListwatchError} KEY_SERVICE_FAILED.
   */
  async refresh(): Promise<void> {
    await this.#writeKey.refresh();
  }

  /**
   * Whether the service is healthy. It is asked at most once a minute, after a failure at most every ten seconds.
   * @throws {ListwatchError} KEY_SERVICE_FAILED.
   */
  async check(): Promise<void> {
    await this.#writeKey.check();
  }

  /** Returns a promise only while the data key is not in the cache. @throws {Error} when the value cannot be authenticated. */
  decrypt(value: Uint8Array, { key }: TransformContext): PlainValue | Promise<PlainValue> {
    const object = decodeEncryptedObject(value.subarray(this.#head.length));
    this.#writeKey.refreshIfDue();
    const id = idOf(object);
    const known = this.#cache.get(id);
    if (known !== undefined && this.#writeKey.current !== undefined) {
      return this.#open(known, object, key);
    }
    return this.#unwrapAndOpen(id, object, key);
  }

  /** Returns a promise only if the service has to be called first. @throws {ListwatchError} KEY_SERVICE_FAILED. */
  encrypt(data: Uint8Array, { key }: TransformContext): Uint8Array | Promise<Uint8Array> {
    const writeKey = this.#writeKey.forWriting();
    if (!(writeKey instanceof Promise)) return this.#seal(writeKey, data, key);
    return writeKey.then((ready) => this.#seal(ready, data, key));
  }

  #seal({ dataKey, tail }: WriteKey, data: Uint8Array, key: string): Uint8Array {
    const head = [this.#head, encodeDataHead(data.length + SEED_OVERHEAD_BYTES)];
    return dataKey.seal(data, this.#randomBytes, key, head, [tail]);
  }

  #open(dataKey: DataKey, { data, keyId, sourceType }: EncryptedObject, key: string): PlainValue {
    const plain = dataKey.open(data, key);
    if (plain === undefined) {
      throw new Error(
        'it cannot be decrypted with its data key: changed data, or a value from another storage key',
      );
    }
    const current = this.#writeKey.current?.stored;
    const stale =
      current !== undefined && (keyId !== current.keyId || sourceType !== current.sourceType);
    return { data: plain, stale };
  }

  async #unwrapAndOpen(id: string, object: EncryptedObject, key: string): Promise<PlainValue> {
    const { source, keyId, annotations } = object;
    const wrapped = { ciphertext: source, keyId, annotations };
    // Without the present key id, stale and fresh values could not be distinguished.
    const settled = this.#writeKey.settled();
    const dataKey = await this.#cache.load(id, async () =>
      this.#dataKey(object, await this.#client.unwrap(wrapped, key)),
    );
    await settled;
    return this.#open(dataKey, object, key);
  }

  #dataKey({ sourceType }: EncryptedObject, bytes: Uint8Array): DataKey {
    const secret = Uint8Array.from(bytes);
    if (sourceType === 'seed' && secret.length >= SEED_BYTES) return new SeededDataKey(secret);
    if (sourceType === 'key' && AES_KEY_BYTES.includes(secret.length)) {
      return new AesGcmCipher(secret);
    }
    throw this.#client.failure(`unwrapped a data key of ${secret.length} bytes`);
  }
}

const SEPARATE = { key: Buffer.of(0), seed: Buffer.of(1) } as const;

function idOf({ keyId, source, sourceType, annotations }: StoredDataKey): string {
  const parts: Uint8Array[] = [SEPARATE[sourceType], source, Buffer.from(keyId)];
  for (const [name, value] of [...annotations].toSorted(byName))
    parts.push(Buffer.from(name), value);
  return hashOf(parts);
}

function byName([left]: [string, Uint8Array], [right]: [string, Uint8Array]): number {
  return left < right ? -1 : 1;
}
