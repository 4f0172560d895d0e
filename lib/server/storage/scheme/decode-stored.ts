import type { UnstructuredObject } from '../../../meta/object.ts';
import { identityTransformer, type Transformer } from '../value/transformer.ts';
import { CodecFactory } from './codec-factory.ts';
import { RecognizingDecoder } from './recognizing-decoder.ts';
import type { Scheme } from './scheme.ts';
import type { Encoding } from './serializer.ts';

/** @experimental */
export interface DecodeStoredOptions {
  /** The storage key of the value. Encrypted values are bound to it. @defaultValue '' */
  readonly key?: string | undefined;
  /** Reverses the transformation that was applied when the value was stored. @defaultValue none was applied */
  readonly transformer?: Transformer | undefined;
  /** Converts the object to its version in memory. @defaultValue it stays in the stored version */
  readonly scheme?: Scheme | undefined;
}

/** @experimental */
export interface StoredDocument {
  readonly encoding: Encoding;
  /** Whether the transformer would now write it differently. */
  readonly stale: boolean;
  /** The object as the API returns it, but without a resource version, which is not part of the value. */
  readonly object: UnstructuredObject;
}

/**
 * Decodes a value of etcd into an object. The value may come from any API server.
 * @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING; with a scheme also UNKNOWN_KIND, NO_CONVERSION, CONVERSION.
 * Errors of the transformer are passed on unchanged.
 * @experimental
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
