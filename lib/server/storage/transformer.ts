/** Where a value lies; an encrypting transformer binds the value to it, so that it cannot be moved to another key. */
export interface TransformContext {
  readonly key: string;
}

export interface PlainValue {
  readonly data: Uint8Array;
  /** Readable, but not what would be written now (an old encryption key): the next update rewrites it, changed or not. */
  readonly stale: boolean;
}

/** Turns values into what is stored and back, e.g. encrypts them. */
export interface Transformer {
  /** Throws when the value cannot be read. */
  fromStorage(data: Uint8Array, context: TransformContext): PlainValue | Promise<PlainValue>;
  toStorage(data: Uint8Array, context: TransformContext): Uint8Array | Promise<Uint8Array>;
}

/** Stores values as they are. */
export const identityTransformer: Transformer = {
  fromStorage: (data: Uint8Array): PlainValue => ({ data, stale: false }),
  toStorage: (data: Uint8Array): Uint8Array => data,
};
