import type { UnstructuredObject } from '../../../meta/object.ts';
import { identityTransformer, type Transformer } from '../value/transformer.ts';
import { CodecFactory } from './codec-factory.ts';
import { RecognizingDecoder } from './recognizing-decoder.ts';
import type { Scheme } from './scheme.ts';
import type { Encoding } from './serializer.ts';

export interface DecodeStoredOptions {
  /** The storage key of the value. Encrypted values are bound to it. @defaultValue '' */
  readonly key?: string | undefined;
  /** Undoes what was done to the value on its way into the storage. @defaultValue nothing was */
  readonly transformer?: Transformer | undefined;
  /** Brings the object into the version it has in memory. @defaultValue it stays in the version it is stored in */
  readonly scheme?: Scheme | undefined;
}

export interface StoredDocument {
  readonly encoding: Encoding;
  /** Whether the transformer would write it differently now. */
  readonly stale: boolean;
  /** As the API writes it; without a resource version, which is not part of the value. */
  readonly object: UnstructuredObject;
}

/**
 * Decodes a value of etcd into an object, no matter which API server wrote it.
 * @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING; with a scheme also UNKNOWN_KIND, NO_CONVERSION, CONVERSION.
 * Errors of the transformer are thrown as they are.
 */
export async function decodeStored(
  bytes: Uint8Array,
  { key = '', transformer = identityTransformer, scheme }: DecodeStoredOptions = {},
): Promise<StoredDocument> {
  const { data, stale } = await transformer.fromStorage(bytes, { key });
  const serializer = new RecognizingDecoder().serializerFor(data);
  const object =
    scheme === undefined ? serializer.decode(data) : new CodecFactory(scheme).decode(data);
  return { encoding: serializer.encoding, stale, object };
}
