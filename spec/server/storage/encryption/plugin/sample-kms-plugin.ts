import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import {
  Server,
  ServerCredentials,
  status,
  type handleUnaryCall,
  type MethodDefinition,
} from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** @see kms apis/v2/api.proto */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message DecryptRequest {
    bytes ciphertext = 1;
    string uid = 2;
    string key_id = 3;
    map<string, bytes> annotations = 4;
  }
  message DecryptResponse { bytes plaintext = 1; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse {
    bytes ciphertext = 1;
    string key_id = 2;
    map<string, bytes> annotations = 3;
  }
`);

const METHODS = ['Status', 'Encrypt', 'Decrypt'] as const;
type Method = (typeof METHODS)[number];

export interface PluginCall {
  readonly method: Method;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The annotation of each wrapped key; a key is only unwrapped with it. */
const ANNOTATION = 'zone.kms.example.com';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A KMS plug-in as a cloud would offer one, over a Unix socket. Its keys follow from their ids, so they survive a restart. */
export class SampleKmsPlugin implements AsyncDisposable {
  readonly endpoint: string;
  readonly calls: PluginCall[] = [];
  keyId: string = 'kek-1';
  healthz: string = 'ok';
  version: string = 'v2';
  /** Calls never answer. */
  hangs: boolean = false;
  /** The error of every call. */
  refusal: string | undefined;
  readonly #path: string;
  #server: Server | undefined;

  constructor(path: string) {
    this.#path = path;
    this.endpoint = `unix://${path}`;
  }

  static async start(path: string): Promise<SampleKmsPlugin> {
    const plugin = new SampleKmsPlugin(path);
    await plugin.listen();
    return plugin;
  }

  async listen(): Promise<void> {
    const server = new Server();
    this.#server = server;
    server.addService(
      Object.fromEntries(METHODS.map((method) => [method, definitionOf(method)])),
      Object.fromEntries(METHODS.map((method) => [method, this.#handlerOf(method)])),
    );
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.#path}`, ServerCredentials.createInsecure(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  /** Ends the connections and removes the socket. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  countOf(method: Method): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
  }

  #handlerOf(method: Method): handleUnaryCall<PluginCall['request'], object> {
    return ({ request }, answer) => {
      this.calls.push({ method, request });
      if (this.hangs) return;
      try {
        if (this.refusal !== undefined) throw new Error(this.refusal);
        answer(null, this.#answerTo(method, request));
      } catch (error) {
        const { message } = error as Error;
        answer({ code: status.FAILED_PRECONDITION, details: message });
      }
    };
  }

  #answerTo(method: Method, request: PluginCall['request']): object {
    const { keyId } = this;
    if (method === 'Status') return { version: this.version, healthz: this.healthz, keyId };
    if (method === 'Encrypt') {
      const ciphertext = seal(keyId, request['plaintext'] as Uint8Array);
      return { ciphertext, keyId, annotations: { [ANNOTATION]: Buffer.from('eu') } };
    }
    const { annotations, ciphertext, keyId: id } = request;
    const zone = (annotations as Record<string, Uint8Array>)[ANNOTATION];
    if (zone === undefined || Buffer.from(zone).toString() !== 'eu') throw new Error('which zone?');
    return { plaintext: open(id as string, ciphertext as Uint8Array) };
  }
}

function definitionOf(method: Method): MethodDefinition<object, object> {
  const [request, response] = [
    root.lookupType(`${method}Request`),
    root.lookupType(`${method}Response`),
  ];
  const encode = (type: protobuf.Type) => (message: object) =>
    Buffer.from(type.encode(message).finish());
  const decode = (type: protobuf.Type) => (bytes: Buffer) => type.decode(bytes);
  return {
    path: `/v2.KeyManagementService/${method}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: encode(request),
    requestDeserialize: decode(request),
    responseSerialize: encode(response),
    responseDeserialize: decode(response),
  };
}

function keyOf(keyId: string): Buffer {
  return createHash('sha256').update(`key of ${keyId}`).digest();
}

function seal(keyId: string, plaintext: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce);
  const sealed = [cipher.update(plaintext), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
}

function open(keyId: string, ciphertext: Uint8Array): Buffer {
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), nonce);
  decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
  const plain = decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([plain, decipher.final()]);
}
