import { silentLogger, type Logger } from '../../../kernel/report/logger.ts';
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
  type EncryptedObject,
  type StoredDataKey,
} from './encrypted-object.ts';
import {
  AES_KEY_BYTES,
  systemRandomBytes,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
import { KEY_SERVICE_TIMEOUT_MS, KeyServiceClient, type KeyService } from './key-service.ts';
import { KmsWriteKey, type WriteKey } from './kms-write-key.ts';

const OWNER = 'KmsProvider';

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
  /** @defaultValue silentLogger */
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
  logger: is.object().default(silentLogger),
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
