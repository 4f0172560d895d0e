import { delimited, fieldsOf, mapEntryOf, mapFields, textOf } from '../message-fields.ts';
import type { WrappedKey } from '../key-service.ts';

/** One procedure of a KMS plug-in: its path, and the encoding of its messages. */
export interface KmsProcedure<Request, Response> {
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

export interface KmsStatus {
  /** `v2`, or `v2beta1`, which means the same. */
  readonly version: string;
  /** `ok`; anything else says what is wrong. */
  readonly healthz: string;
  readonly keyId: string;
}

export interface KmsEncryptRequest {
  readonly plaintext: Uint8Array;
  readonly uid: string;
}

export interface KmsDecryptRequest {
  readonly ciphertext: Uint8Array;
  readonly uid: string;
  readonly keyId: string;
  readonly annotations: ReadonlyMap<string, Uint8Array>;
}

/** @see kms apis/v2/api.proto StatusRequest, StatusResponse */
export const STATUS: KmsProcedure<undefined, KmsStatus> = {
  path: '/v2.KeyManagementService/Status',
  serialize: () => Buffer.alloc(0),
  deserialize: (message) => {
    const [version = '', healthz = '', keyId = ''] = textsOf(message, [1, 2, 3]);
    return { version, healthz, keyId };
  },
};

/** @see kms apis/v2/api.proto EncryptRequest, EncryptResponse */
export const ENCRYPT: KmsProcedure<KmsEncryptRequest, WrappedKey> = {
  path: '/v2.KeyManagementService/Encrypt',
  serialize: ({ plaintext, uid }) =>
    Buffer.concat([...present(1, plaintext), ...present(2, Buffer.from(uid))]),
  deserialize: (message) => {
    let ciphertext: Uint8Array = Buffer.alloc(0);
    let keyId = '';
    const annotations = new Map<string, Uint8Array>();
    for (const { field, bytes } of fieldsOf(message)) {
      if (bytes === undefined) continue;
      if (field === 1) ciphertext = bytes;
      else if (field === 2) keyId = textOf(bytes);
      else if (field === 3) annotations.set(...mapEntryOf(bytes));
    }
    return { ciphertext, keyId, annotations };
  },
};

/** @see kms apis/v2/api.proto DecryptRequest, DecryptResponse */
export const DECRYPT: KmsProcedure<KmsDecryptRequest, Uint8Array> = {
  path: '/v2.KeyManagementService/Decrypt',
  serialize: ({ ciphertext, uid, keyId, annotations }) =>
    Buffer.concat([
      ...present(1, ciphertext),
      ...present(2, Buffer.from(uid)),
      ...present(3, Buffer.from(keyId)),
      ...mapFields(4, annotations),
    ]),
  deserialize: (message) => {
    let plaintext: Uint8Array = Buffer.alloc(0);
    for (const { field, bytes } of fieldsOf(message)) {
      if (field === 1 && bytes !== undefined) plaintext = bytes;
    }
    return plaintext;
  },
};

/** A field; protobuf leaves out an empty one. */
function present(field: number, bytes: Uint8Array): Uint8Array[] {
  return bytes.length === 0 ? [] : [delimited(field, bytes)];
}

function textsOf(message: Uint8Array, wanted: readonly number[]): string[] {
  const found = new Map<number, string>();
  for (const { field, bytes } of fieldsOf(message)) {
    if (bytes !== undefined && wanted.includes(field)) found.set(field, textOf(bytes));
  }
  return wanted.map((field) => found.get(field) ?? '');
}
