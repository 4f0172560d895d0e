import type * as Grpc from '@grpc/grpc-js';
import { onAbort } from '../../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { loadPeer } from '../../../../kernel/options/optional-peer.ts';
import { is, optionsOf } from '../../../../kernel/options/options-schema.ts';
import { randomUuid } from '../../../../kernel/time/random.ts';
import { realRuntime } from '../../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { sleep } from '../../../../kernel/time/wait.ts';
import {
  KEY_SERVICE_TIMEOUT_MS,
  type KeyService,
  type KeyServiceCall,
  type WrappedKey,
} from '../key-service.ts';
import { socketPathOf } from '../plugin-endpoint.ts';
import { WireReader } from '../../../../meta/protobuf/wire/wire-reader.ts';
import {
  writeByteString,
  writeMessage,
  writeString,
} from '../../../../meta/protobuf/wire/wire-writer.ts';
import { readBytesEntry, writeBytesMap } from '../encrypted-object.ts';

/** One procedure of a KMS plug-in: its path, and the encoding of its messages. */
interface KmsProcedure<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

interface KmsStatus {
  /** `v2`, or `v2beta1`, which means the same. */
  readonly version: string;
  /** `ok`; anything else says what is wrong. */
  readonly healthz: string;
  readonly keyId: string;
}

interface KmsEncryptRequest {
  readonly plaintext: Uint8Array;
  readonly uid: string;
}

interface KmsDecryptRequest {
  readonly ciphertext: Uint8Array;
  readonly uid: string;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Uint8Array>;
}

const NO_BYTES = new Uint8Array(0);

/** @see kms apis/v2/api.proto StatusRequest, StatusResponse */
export const STATUS: KmsProcedure<undefined, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  serialize: () => Buffer.alloc(0),
  deserialize: (message) => {
    let version = '';
    let healthz = '';
    let keyId = '';
    const reader = new WireReader(message);
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === 0x0a) version = reader.string();
      else if (tag === 0x12) healthz = reader.string();
      else if (tag === 0x1a) keyId = reader.string();
      else reader.skip(tag);
    }
    return { version, healthz, keyId };
  },
};

/** @see kms apis/v2/api.proto EncryptRequest, EncryptResponse */
export const ENCRYPT: KmsProcedure<KmsEncryptRequest, WrappedKey> = {
  path: '/v2.KeyManagementService/Encrypt',
  serialize: ({ plaintext, uid }) =>
    writeMessage(() => {
      writeString(uid, 0x12);
      writeByteString(plaintext, 0x0a);
    }),
  deserialize: (message) => {
    let ciphertext: Uint8Array = NO_BYTES;
    let keyId = '';
    const annotations = new Map<string, Uint8Array>();
    const reader = new WireReader(message);
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === 0x0a) ciphertext = reader.bytes();
      else if (tag === 0x12) keyId = reader.string();
      else if (tag === 0x1a) annotations.set(...readBytesEntry(reader));
      else reader.skip(tag);
    }
    return { ciphertext, keyId, annotations };
  },
};

/** @see kms apis/v2/api.proto DecryptRequest, DecryptResponse */
export const DECRYPT: KmsProcedure<KmsDecryptRequest, Uint8Array> = {
  path: '/v2.KeyManagementService/Decrypt',
  serialize: ({ ciphertext, uid, keyId, annotations }) =>
    writeMessage(() => {
      writeBytesMap(annotations, 0x22);
      writeString(keyId, 0x1a);
      writeString(uid, 0x12);
      writeByteString(ciphertext, 0x0a);
    }),
  deserialize: (message) => {
    let plaintext: Uint8Array = NO_BYTES;
    const reader = new WireReader(message);
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === 0x0a) plaintext = reader.bytes();
      else reader.skip(tag);
    }
    return plaintext;
  },
};

const OWNER = 'KmsPlugin';
const PEER = '@grpc/grpc-js';
/** The pause before a plug-in that does not listen is called again, within the time of a call. */
const RECONNECT_MS = 100;
/** The text that gRPC for Node appends to the reason of a failed connection, even if there is no note. */
const EMPTY_NOTE = /\.? Resolution note: $/;
/** Both name the same interface. @see apiserver …/kmsv2/envelope.go KMSAPIVersionv2, KMSAPIVersionv2beta1 */
const VERSIONS: readonly string[] = ['v2', 'v2beta1'];

/** @experimental */
export interface KmsPluginOptions {
  /** `unix:///run/kms.sock`; a path that starts with `/@` is a socket of Linux's abstract namespace. */
  readonly endpoint: string;
  /** Longest duration of a call, milliseconds. @defaultValue 3 000 */
  readonly timeoutMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<KmsPluginOptions>()(OWNER, {
  endpoint: is.text().required,
  timeoutMs: is.number({ min: 1 }).default(KEY_SERVICE_TIMEOUT_MS),
  runtime: is.object().default(realRuntime),
});

/**
 * A KMS plug-in for kube-apiserver, version 2 of the interface: gRPC over a Unix socket, with the optional package
 * `@grpc/grpc-js`. The plug-in need not run yet; a call waits for it within its time.
 *
 * Rejections have gRPC's form: `rpc error: code = DeadlineExceeded desc = …`.
 * @see apiserver pkg/storage/value/encrypt/envelope/kmsv2/grpc_service.go @ v0.36.3
 * @experimental
 */
export class KmsPlugin implements KeyService, Disposable {
  readonly #endpoint: string;
  readonly #timeoutMs: number;
  readonly #runtime: Runtime;
  readonly #grpc: typeof Grpc;
  readonly #client: Grpc.Client;
  /** That of the first status; a plug-in must not change it. */
  #version: string | undefined;
  #closed = false;

  /** @throws {ListwatchError} INVALID_OPTION; MISSING_PEER. */
  constructor(options: KmsPluginOptions) {
    const { endpoint, runtime, timeoutMs } = OPTIONS.read(options);
    const path = socketPathOf(endpoint);
    if (path === undefined) {
      const problem = 'must be unix:// and the path of a socket';
      throw new ListwatchError('INVALID_OPTION', `${OWNER}: option "endpoint" ${problem}`);
    }
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
    this.#runtime = runtime;
    this.#grpc = loadPeer(PEER, PEER, `the KMS plug-in ${endpoint}`) as typeof Grpc;
    this.#client = new this.#grpc.Client(`unix:${path}`, this.#grpc.credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
      'grpc.min_reconnect_backoff_ms': RECONNECT_MS,
      'grpc.max_reconnect_backoff_ms': 1_000,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /** @throws {Error} when the plug-in says that it is not healthy, or has another version of the interface. */
  async status(call: KeyServiceCall): Promise<{ readonly keyId: string }> {
    const { version, healthz, keyId } = await this.#call(STATUS, undefined, call);
    if (healthz !== 'ok') throw new Error(`got unexpected healthz status: ${healthz}`);
    if (!VERSIONS.includes(version)) {
      throw new Error(`expected KMSv2 API version v2, got ${version}`);
    }
    this.#version ??= version;
    if (this.#version !== version) {
      const rule = 'KMSv2 API version should not change after the initial status response version';
      throw new Error(`${rule} ${this.#version}, got ${version}`);
    }
    return { keyId };
  }

  async encrypt(plaintext: Uint8Array, call: KeyServiceCall): Promise<WrappedKey> {
    return await this.#call(ENCRYPT, { plaintext, uid: randomUuid(this.#runtime) }, call);
  }

  async decrypt(
    wrapped: Partial<WrappedKey> & Pick<WrappedKey, 'ciphertext'>,
    call: KeyServiceCall,
  ): Promise<Uint8Array> {
    const { ciphertext, keyId = '', annotations = new Map() } = wrapped;
    const uid = randomUuid(this.#runtime);
    return await this.#call(DECRYPT, { ciphertext, uid, keyId, annotations }, call);
  }

  /** Calls that are under way still get their answers; later ones fail. */
  destroy(): void {
    this.#closed = true;
    this.#client.close();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /** Sends a request as soon as the plug-in listens, within the time of the call. */
  async #call<Request, Response>(
    procedure: KmsProcedure<Request, Response>,
    request: Request,
    { signal }: KeyServiceCall,
  ): Promise<Response> {
    const runtime = this.#runtime;
    const endMs = runtime.monotonicMs() + this.#timeoutMs;
    for (;;) {
      if (this.#closed) throw new ListwatchError('CLOSED', `${this.#endpoint} is closed`);
      try {
        return await this.#send(procedure, request, signal, endMs - runtime.monotonicMs());
      } catch (error) {
        if (!this.#isUnavailable(error)) throw this.#rpcError(error);
        if (runtime.monotonicMs() + RECONNECT_MS >= endMs) {
          const details = error.details.replace(EMPTY_NOTE, '');
          throw rpcError('DeadlineExceeded', `latest balancer error: ${details}`, error);
        }
        await sleep(runtime, RECONNECT_MS, { signal });
      }
    }
  }

  #send<Request, Response>(
    { path, serialize, deserialize }: KmsProcedure<Request, Response>,
    request: Request,
    signal: AbortSignal,
    leftMs: number,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        path,
        serialize,
        deserialize,
        request,
        (error, answer) => {
          timer.cancel();
          release();
          if (error === null && answer !== undefined) resolve(answer);
          else reject(error ?? new Error('the plug-in sent no answer'));
        },
      );
      const release = onAbort(signal, () => {
        call.cancel();
      });
      // The error comes first: the answer to a cancelled call does not say that the time was up.
      const timer = this.#runtime.setTimer(Math.max(1, leftMs), () => {
        reject(rpcError('DeadlineExceeded', 'context deadline exceeded', undefined));
        call.cancel();
      });
    });
  }

  #isUnavailable(error: unknown): error is Grpc.ServiceError {
    return isServiceError(error) && error.code === this.#grpc.status.UNAVAILABLE;
  }

  #rpcError(error: unknown): unknown {
    if (!isServiceError(error)) return error;
    return rpcError(goCodeName(this.#grpc.status[error.code] ?? 'UNKNOWN'), error.details, error);
  }
}

function isServiceError(error: unknown): error is Grpc.ServiceError {
  return error instanceof Error && typeof (error as Partial<Grpc.ServiceError>).code === 'number';
}

function rpcError(code: string, details: string, cause: unknown): Error {
  return new Error(`rpc error: code = ${code} desc = ${details}`, { cause });
}

/** `NOT_FOUND` as Go writes it: `NotFound`. */
function goCodeName(name: string): string {
  return name
    .split('_')
    .map((word) => (word === 'OK' ? word : `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`))
    .join('');
}
