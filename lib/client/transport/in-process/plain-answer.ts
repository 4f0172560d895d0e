/*
 * An answer of a handler in the forms that a client's transport gives: for transports in the same process.
 */

import type { BodyReader, ResponseBody } from '../contract/transport.ts';

/** A body as the pieces of a stream. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  if (bytes.length > 0) yield bytes;
}

/** A body that was whole when its answer came. */
export class WholeBody implements ResponseBody {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  [Symbol.asyncIterator](): BodyReader {
    let rest: Uint8Array | undefined = this.#bytes.length === 0 ? undefined : this.#bytes;
    const poll = (): Uint8Array | undefined => {
      const piece = rest;
      rest = undefined;
      return piece;
    };
    const done = { done: true, value: undefined } as const;
    const next = (): Promise<IteratorResult<Uint8Array, undefined>> => {
      const value = poll();
      return Promise.resolve(value === undefined ? done : { done: false, value });
    };
    return { poll, next };
  }
}

/** Headers with small names, and the values of each in one text. */
export function joinedHeaders(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    plain[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ');
  }
  return plain;
}
