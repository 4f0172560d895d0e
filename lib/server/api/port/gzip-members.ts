import { promisify } from 'node:util';
import { constants, crc32, gzip, type ZlibOptions } from 'node:zlib';

/** Level 1 takes the least time and compresses JSON nearly as well as higher ones. */
export const GZIP_OPTIONS: ZlibOptions = { level: constants.Z_BEST_SPEED };

const compress = promisify(gzip);

/** Runs in another thread. The bytes must not change. */
export function gzipOf(bytes: Uint8Array): Promise<Uint8Array> {
  return compress(bytes, GZIP_OPTIONS);
}

/** A last block without data. */
const LAST_BLOCK = Uint8Array.of(3, 0);

/**
 * A gzip member with a flush before its end, as kube-apiserver writes it. Go's reader returns the data that it has at a flush; at the
 * end of a member it waits for the next one first, and an event would come with the event after it.
 */
async function flushedMember(piece: Uint8Array): Promise<Uint8Array> {
  const options = { ...GZIP_OPTIONS, finishFlush: constants.Z_SYNC_FLUSH };
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(piece), 0);
  trailer.writeUInt32LE(piece.byteLength, 4);
  return Buffer.concat([await compress(piece, options), LAST_BLOCK, trailer]);
}

/** Number of members in the cache. Watches that read the same events read them at nearly the same time. */
const KEPT = 8;
/** Larger pieces are not kept. */
const LARGEST_KEPT_BYTES = 512 * 1024;

interface Member {
  readonly piece: Uint8Array;
  readonly compressed: Promise<Uint8Array>;
}

/**
 * Pieces of bodies, each as a gzip member of its own.
 *
 * A member needs nothing of those before it: the client decodes it as soon as it has come, a watch without events holds no compressor,
 * and watches that send the same piece share its member. At most 8 pieces of up to 512 KiB are kept.
 */
export class GzipMembers {
  /** The latest first. */
  readonly #kept: Member[] = [];

  /** A body whose pieces are members. It holds nothing back, and leaving it leaves the body. */
  body(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => this.#iterate(pieces[Symbol.asyncIterator]()),
    };
  }

  #of(piece: Uint8Array): Promise<Uint8Array> {
    const known = this.#kept.find((one) => one.piece === piece);
    if (known !== undefined) return known.compressed;
    const compressed = flushedMember(piece);
    if (piece.byteLength <= LARGEST_KEPT_BYTES) this.#keep({ piece, compressed });
    return compressed;
  }

  #keep(member: Member): void {
    this.#kept.unshift(member);
    if (this.#kept.length > KEPT) this.#kept.pop();
  }

  #iterate(pieces: AsyncIterator<Uint8Array, undefined>): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        const { done, value } = await pieces.next();
        if (done === true) return { done, value: undefined };
        return { done: false, value: await this.#of(value) };
      },
      // A generator would wait for the next event first.
      return: async () => {
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}
