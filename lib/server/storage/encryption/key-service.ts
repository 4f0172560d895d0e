import { deriveAbort } from '../../../kernel/time/abort.ts';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../kernel/time/wait.ts';

/**
 * A data key as a key service wraps it. It is stored with the data that it encrypts.
 *
 * @experimental
 */
export interface WrappedKey {
  readonly ciphertext: Uint8Array;
  /** The id of the key-encryption key that wrapped it; up to 1 024 bytes, not secret. */
  readonly keyId: string;
  /** Further data that the service needs to unwrap it, by domain name; up to 32 KiB, not secret. */
  readonly annotations?: ReadonlyMap<string, Uint8Array> | undefined;
}

/** @experimental */
export interface KeyServiceCall {
  /** Aborts when no caller waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * Holds the key-encryption keys, and wraps data keys with them: a KMS plugin, a hardware module, a cloud service. Rejections
 * reach readers and writers of objects as KEY_SERVICE_FAILED; messages must not contain keys.
 * @see kms pkg/service/interface.go Service
 * @experimental
 */
export interface KeyService {
  /** The key that `encrypt` uses at present. Rejects while the service is not healthy. */
  status(call: KeyServiceCall): Promise<{ readonly keyId: string }>;
  encrypt(plaintext: Uint8Array, call: KeyServiceCall): Promise<WrappedKey>;
  /** `keyId` and `annotations` are those that `encrypt` returned; an `EnvelopeProvider` does not store them and leaves them out. */
  decrypt(
    wrapped: Partial<WrappedKey> & Pick<WrappedKey, 'ciphertext'>,
    call: KeyServiceCall,
  ): Promise<Uint8Array>;
}

/** kube-apiserver's default for a `timeout` left out. @see apiserver pkg/apis/apiserver/v1/defaults.go @ 24a394e */
export const KEY_SERVICE_TIMEOUT_MS = 3000;

export interface KeyServiceClientOptions {
  readonly name: string;
  readonly service: KeyService;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/** Calls a key service with a time limit; every failure becomes KEY_SERVICE_FAILED with the name of the service. */
export class KeyServiceClient {
  readonly #options: KeyServiceClientOptions;

  constructor(options: KeyServiceClientOptions) {
    this.#options = options;
  }

  /** The present key id. */
  async status(): Promise<string> {
    const answer = await this.#call('return its status', (service, call) => service.status(call));
    if (typeof answer?.keyId === 'string') return answer.keyId;
    throw this.failure('returned a status without key id');
  }

  async wrap(dataKey: Uint8Array): Promise<WrappedKey> {
    const wrapped = await this.#call('wrap a data key', (service, call) =>
      service.encrypt(dataKey, call),
    );
    if (wrapped?.ciphertext instanceof Uint8Array && typeof wrapped.keyId === 'string') {
      return wrapped;
    }
    throw this.failure('returned a wrapped data key without ciphertext or key id');
  }

  /** The data key of `wrapped`, for a value under `storageKey`. */
  async unwrap(
    wrapped: Partial<WrappedKey> & Pick<WrappedKey, 'ciphertext'>,
    storageKey: string,
  ): Promise<Uint8Array> {
    const dataKey = await this.#call(`unwrap the data key of ${storageKey}`, (service, call) =>
      service.decrypt(wrapped, call),
    );
    if (dataKey instanceof Uint8Array) return dataKey;
    throw this.failure(`unwrapped the data key of ${storageKey} as something other than bytes`);
  }

  /** The error for a response that is not valid. */
  failure(problem: string, cause?: unknown): ListwatchError {
    const message = `the key service "${this.#options.name}" ${problem}`;
    return new ListwatchError('KEY_SERVICE_FAILED', message, { cause });
  }

  async #call<R>(
    what: string,
    work: (service: KeyService, call: KeyServiceCall) => Promise<R>,
  ): Promise<R> {
    const { service, runtime, timeoutMs } = this.#options;
    const abort = deriveAbort();
    try {
      const answer = work(service, { signal: abort.signal });
      const describe = (): string => `it to ${what}`;
      return await withDeadline(runtime, answer, { timeoutMs, describe });
    } catch (error) {
      throw this.failure(`did not ${what}: ${errorMessage(error)}`, error);
    } finally {
      abort.abort();
    }
  }
}
