import { crc32 } from 'node:zlib';
import { JsonPacker, packedBound, unpackJson, type PackedIdentity } from './packed-json.ts';
import { Scratch } from './scratch.ts';
import { deflateBound, zlibCalls, type ZlibCalls } from './zlib-handle.ts';

/*
 * What is made of an object:
 *
 *   packed JSON, deflated | values | length of the values (2) | CRC-32 of the JSON (4)
 */
const CHECK = 4;
const TAIL_BYTES = 6;

const packer = new JsonPacker();
const texts = new Scratch();

/** Most bytes that are made of so much JSON. */
export function deflatedBound(jsonLength: number): number {
  return deflateBound(packedBound(jsonLength)) + TAIL_BYTES;
}

/** Compresses objects that are much alike, one at a time. */
export class ObjectDeflater {
  readonly #calls: ZlibCalls;
  /** What it takes in memory, zlib included. */
  readonly memoryBytes: number;

  /** `dictionary`: packed JSON of such objects. */
  constructor(dictionary: Uint8Array, calls: ZlibCalls = zlibCalls(dictionary)) {
    this.#calls = calls;
    this.memoryBytes = dictionary.length + calls.nativeBytes;
  }

  /** Writes what is made of JSON to `target` from `start`. Returns where it ends, or undefined when there is no room. */
  deflate(
    json: Buffer,
    identity: PackedIdentity,
    target: Buffer,
    start: number,
  ): number | undefined {
    packer.pack(json, identity);
    const { text, values } = packer;
    const last = target.length - values.length - TAIL_BYTES;
    const end = start < last ? this.#calls.deflate(text, target, start, last) : undefined;
    if (end === undefined) return undefined;
    target.set(values, end);
    const tail = target.writeUInt16LE(values.length, end + values.length);
    return target.writeUInt32LE(crc32(json), tail);
  }

  /** Makes JSON of it again, as long as `target`. False when that is not what it was made of. */
  inflate(body: Buffer, identity: PackedIdentity, target: Buffer): boolean {
    const tail = body.length - TAIL_BYTES;
    if (tail < 0) return false;
    const valuesStart = tail - body.readUInt16LE(tail);
    if (valuesStart < 0) return false;
    // One more, since zlib is not asked whether it has more when it has filled everything.
    const most = packedBound(target.length) + 1;
    const text = texts.take(most);
    const length = this.#calls.inflate(body.subarray(0, valuesStart), text, 0, most);
    if (length === undefined) return false;
    const values = body.subarray(valuesStart, tail);
    if (!unpackJson(text.subarray(0, length), values, identity, target)) return false;
    return crc32(target) === body.readUInt32LE(body.length - CHECK);
  }
}
