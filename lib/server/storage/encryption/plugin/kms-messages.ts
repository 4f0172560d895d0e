import { WireReader } from '../../../../meta/protobuf/wire/wire-reader.ts';
import {
  writeByteString,
  writeMessage,
  writeString,
} from '../../../../meta/protobuf/wire/wire-writer.ts';
import { readBytesEntry, writeBytesMap } from '../bytes-map.ts';
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
