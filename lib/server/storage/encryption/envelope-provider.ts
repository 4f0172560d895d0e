import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { PlainValue, TransformContext } from '../value/transformer.ts';
import { AesGcmCipher, GCM_NONCE_BYTES } from './aes-gcm-cipher.ts';
import { CACHED_DATA_KEYS, DataKeyCache, hashOf } from './data-key-cache.ts';
import {
  AES_KEY_BYTES,
  drawBytes,
  systemRandomBytes,
  type EncryptionProvider,
  type RandomBytes,
} from './encryption-provider.ts';
import { KEY_SERVICE_TIMEOUT_MS, KeyServiceClient, type KeyService } from './key-service.ts';

const OWNER = 'EnvelopeProvider';
const DATA_KEY_BYTES = 32;
/** The wrapped key follows its length in two bytes. */
const LENGTH_BYTES = 2;
const LONGEST_WRAPPED_KEY = 0xffff;

/** @experimental */
export interface EnvelopeOptions {
  /** The name of the key service; part of the prefix of every value. */
  readonly name: string;
  readonly service: KeyService;
  /** Longest wait for a response of the service, milliseconds. @defaultValue 3 000 */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of unwrapped data keys in the cache; 0 for no cache. @defaultValue 1 000 */
  readonly cacheSize?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue the operating system's */
  readonly randomBytes?: RandomBytes | undefined;
}

const ENVELOPE = optionsOf<EnvelopeOptions>()(OWNER, {
  name: is.text().required,
  service: is.object().required,
  timeoutMs: is.number({ min: 1 }).default(KEY_SERVICE_TIMEOUT_MS),
  cacheSize: is.integer({ min: 0 }).default(CACHED_DATA_KEYS),
  runtime: is.object().default(realRuntime),
  randomBytes: is.callback().default(systemRandomBytes),
});

/**
 * Envelope encryption, version 1 of the KMS interface. Every write creates a data key, the key service wraps it, and it is
 * stored before the data, which is encrypted with AES-GCM. Each write costs one call of the service; prefer `KmsProvider`.
 *
 * Guarantees: a value that was changed, or moved to another storage key, is not decrypted. A failing service fails reads and
 * writes with KEY_SERVICE_FAILED, never with CORRUPT_OBJECT.
 *
 * Not guaranteed: that values become stale when the service changes its key, because their layout has no place for a key id;
 * that values from kube-apiserver before 1.25 are readable, because they use AES-CBC inside.
 * @see apiserver pkg/storage/value/encrypt/envelope/envelope.go @ 24a394e
 * @experimental
 */
export class EnvelopeProvider implements EncryptionProvider {
  readonly prefix: string;
  readonly #head: Buffer;
  readonly #client: KeyServiceClient;
  readonly #cache: DataKeyCache<AesGcmCipher>;
  readonly #randomBytes: RandomBytes;

  /** @throws {ListwatchError} INVALID_OPTION. */
  constructor(options: EnvelopeOptions) {
    const { name, service, timeoutMs, cacheSize, runtime, randomBytes } = ENVELOPE.read(options);
    this.prefix = `k8s:enc:kms:v1:${name}:`;
    this.#head = Buffer.from(this.prefix);
    this.#client = new KeyServiceClient({ name, service, timeoutMs, runtime });
    this.#cache = new DataKeyCache(cacheSize);
    this.#randomBytes = randomBytes;
  }

  /** Returns a promise only while the data key is not in the cache. @throws {Error} when the value cannot be authenticated. */
  decrypt(value: Uint8Array, { key }: TransformContext): PlainValue | Promise<PlainValue> {
    const start = this.#head.length + LENGTH_BYTES;
    const length =
      value.length < start
        ? Infinity
        : ((value[start - 2] as number) << 8) | (value[start - 1] as number);
    if (length > value.length - start) throw new Error('its wrapped data key is cut off');
    const wrapped = value.subarray(start, start + length);
    const sealed = value.subarray(start + length);
    const id = hashOf([wrapped]);
    const known = this.#cache.get(id);
    if (known !== undefined) return open(known, sealed, key);
    const unwrap = async (): Promise<AesGcmCipher> =>
      this.#cipher(await this.#client.unwrap({ ciphertext: wrapped }, key));
    return this.#cache.load(id, unwrap).then((cipher) => open(cipher, sealed, key));
  }

  async encrypt(data: Uint8Array, { key }: TransformContext): Promise<Uint8Array> {
    const dataKey = drawBytes(this.#randomBytes, DATA_KEY_BYTES);
    const { ciphertext, annotations } = await this.#client.wrap(dataKey);
    if (ciphertext.length === 0 || ciphertext.length > LONGEST_WRAPPED_KEY) {
      throw this.#client.failure(`wrapped a data key as ${ciphertext.length} bytes`);
    }
    if (annotations !== undefined && annotations.size > 0) {
      throw this.#client.failure('returned annotations, which an EnvelopeProvider cannot store');
    }
    const cipher = this.#cipher(dataKey);
    this.#cache.keep(hashOf([ciphertext]), cipher);
    const length = Buffer.of(ciphertext.length >> 8, ciphertext.length & 0xff);
    const nonce = drawBytes(this.#randomBytes, GCM_NONCE_BYTES);
    return cipher.seal(data, nonce, key, [this.#head, length, ciphertext]);
  }

  #cipher(dataKey: Uint8Array): AesGcmCipher {
    if (AES_KEY_BYTES.includes(dataKey.length)) return new AesGcmCipher(Uint8Array.from(dataKey));
    throw this.#client.failure(`unwrapped a data key of ${dataKey.length} bytes`);
  }
}

function open(cipher: AesGcmCipher, sealed: Uint8Array, key: string): PlainValue {
  const data = cipher.open(sealed, key);
  if (data !== undefined) return { data, stale: false };
  throw new Error(
    'it cannot be decrypted with its data key: changed data, or a value from another storage key',
  );
}
