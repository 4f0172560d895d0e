import type { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { Transformer } from '../../../../lib/server/storage/value/transformer.ts';

export const KEY: string = '/registry/secrets/shop/db';
export const context: { readonly key: string } = { key: KEY };
export const plaintext: Buffer = Buffer.from(
  '{"apiVersion":"v1","kind":"Secret","data":{"password":"hunter2"}}',
);

/** `size` bytes that differ from key to key. */
export function secretOf(name: string, size: number = 32): Uint8Array {
  return Uint8Array.from(
    { length: size },
    (_, index) => (name.charCodeAt(index % name.length) + 7 * index) % 256,
  );
}

/** The error that `work` throws, or rejects with. */
export async function failureOf(work: () => unknown): Promise<ListwatchError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) return error as ListwatchError;
    throw new Error(`something else than an error was thrown: ${String(error)}`, { cause: error });
  }
  throw new Error('it should have failed');
}

/** Random bytes that are predictable: 0, 1, 2, … */
export function countingBytes(): (size: number) => Uint8Array {
  let next = 0;
  return (size) => Uint8Array.from({ length: size }, () => next++ % 256);
}

/** Every value with one bit turned over, and every one that is cut off. */
export function* damaged(value: Uint8Array, from: number): Generator<Uint8Array> {
  for (let index = from; index < value.length; index += 1) {
    const flipped = Uint8Array.from(value);
    flipped[index]! ^= 1 << (index % 8);
    yield flipped;
    yield value.subarray(0, index);
  }
}

export async function roundTrip(
  transformer: Transformer,
  data: Uint8Array = plaintext,
): Promise<Uint8Array> {
  const stored = await transformer.toStorage(data, context);
  return (await transformer.fromStorage(stored, context)).data;
}
