import { CHANGE_RECORD_BYTES } from './change-record-bytes.ts';

/** The part of WebAssembly that is used here; TypeScript declares it for browsers only. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface ChangeRecordExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly next: { readonly value: number };
  readonly target: { readonly value: number };
  readonly expected: { readonly value: number };
  open(bytes: number, seed: bigint): number;
  expect(count: number): bigint;
  keep(key: number, length: number, number: number): void;
  change(
    key: number,
    length: number,
    limit: number,
    kindAndFlags: number,
    request: number,
    atMs: number,
  ): number;
}

/** The fields of the head of a record besides its length and its checksum. */
export interface ChangeHead {
  readonly kind: number;
  readonly flags: number;
  readonly request: number;
  readonly atMs: number;
}

/** A larger object is not kept, and no change of it is written. */
export const MOST_CHANGED_BYTES: number = 1024 * 1024;
/** As many objects as a piece of a stream has, if they are not small. */
const MOST_EXPECTED = 64;
/** Less memory is no use, and addresses of more would not have 32 bits. */
const [LEAST_BYTES, MOST_BYTES] = [64 * 1024, 1024 * 1024 * 1024];
/** Compiled once for all. Undefined until the first one, null where that is not possible. */
let compiled: object | null | undefined;

/**
 * Hashes of objects, by a number, and records of later states of these objects: which pieces of the earlier state are copied, and what lies between. The
 * same blocks of 64 bytes are looked for at the same distance from the begin, and from the end, so changes that keep the length cost little.
 *
 * Guarantees: hashes take an eighth of the size of an object, and no more memory than was given. The oldest are overwritten first.
 *
 * Not guaranteed: that it finds what it keeps. Objects with one number are taken for states of one object, which differ much. Two different
 * blocks have the same hash with a probability of 2⁻⁶⁴; the seed is random, so that collisions cannot be constructed.
 */
export class ChangeRecords {
  /** Numbers of objects, for `expect`. */
  readonly expected: Int32Array;
  readonly #exports: ChangeRecordExports;
  readonly #memory: Buffer;
  readonly #next: number;
  readonly #target: number;

  private constructor(exports: ChangeRecordExports) {
    this.#exports = exports;
    this.#memory = Buffer.from(exports.memory.buffer);
    this.#next = exports.next.value;
    this.#target = exports.target.value;
    const { buffer } = exports.memory;
    this.expected = new Int32Array(buffer, exports.expected.value, MOST_EXPECTED);
  }

  /** Undefined for less than 64 KiB or more than 1 GiB, without so much memory, and where the runtime has no WebAssembly, or none with SIMD. */
  static open(mostBytes: number, seed: bigint): ChangeRecords | undefined {
    if (mostBytes < LEAST_BYTES || mostBytes > MOST_BYTES) return undefined;
    const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
    compiled = compiled === undefined ? compile(WebAssembly) : compiled;
    if (compiled === null || WebAssembly === undefined) return undefined;
    try {
      const { exports } = new WebAssembly.Instance(compiled);
      const module = exports as ChangeRecordExports;
      return module.open(mostBytes, seed) === 0 ? undefined : new ChangeRecords(module);
    } catch {
      return undefined;
    }
  }

  /** Changes of the objects with the first so many of `expected` come next: what is kept of them is read from memory together. */
  expect(count: number): void {
    this.#exports.expect(count);
  }

  /** Keeps the hashes of an object, and with them a number of 32 bits: where its record begins. */
  keep(key: number, object: Buffer, number: number): void {
    if (object.length > MOST_CHANGED_BYTES) return;
    // `copy` of Buffer takes a third longer.
    this.#memory.set(object, this.#next);
    this.#exports.keep(key, object.length, number);
  }

  /**
   * Writes the record of a change at `start`: its head, the number that was kept with the earlier state, the length of the object, and the
   * steps that make the object.
   * @returns its end; undefined where there is no earlier state, or it does not fit before `limit`.
   */
  write(
    key: number,
    object: Buffer,
    head: ChangeHead,
    target: Buffer,
    start: number,
    limit: number,
  ): number | undefined {
    const { length } = object;
    if (length > MOST_CHANGED_BYTES) return undefined;
    this.#memory.set(object, this.#next);
    const { kind, flags, request, atMs } = head;
    const kindAndFlags = (kind & 0xff) | ((flags & 0xff) << 8);
    const written = this.#exports.change(key, length, limit - start, kindAndFlags, request, atMs);
    if (written === 0) return undefined;
    return start + this.#memory.copy(target, start, this.#target, this.#target + written);
  }
}

function compile(api: WebAssemblyApi | undefined): object | null {
  if (api === undefined) return null;
  try {
    return new api.Module(Buffer.from(CHANGE_RECORD_BYTES, 'base64'));
  } catch {
    return null;
  }
}
