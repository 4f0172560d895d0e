import { DIFFERENCE_BYTES } from './difference-bytes.ts';
import type { Piece } from './difference-step.ts';

/** The part of WebAssembly that is used here; TypeScript declares it for browsers only. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface DifferenceExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly base: { readonly value: number };
  readonly next: { readonly value: number };
  readonly target: { readonly value: number };
  difference(baseLength: number, nextLength: number, limit: number): number;
}

/** Bytes of an object, at most, as in `difference.as.ts`. */
const CAPACITY = 0x100000;

/** `writeDifference` in WebAssembly with SIMD; the bytes are copied into its memory first. It writes the same steps. */
export class WasmDifference {
  readonly #exports: DifferenceExports;
  readonly #memory: Buffer;
  readonly #base: number;
  readonly #next: number;
  readonly #target: number;

  private constructor(exports: DifferenceExports) {
    this.#exports = exports;
    this.#memory = Buffer.from(exports.memory.buffer);
    this.#base = exports.base.value;
    this.#next = exports.next.value;
    this.#target = exports.target.value;
  }

  /** Undefined where the runtime has no WebAssembly, or none with SIMD. */
  static open(): WasmDifference | undefined {
    const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
    if (WebAssembly === undefined) return undefined;
    try {
      const module = new WebAssembly.Module(Buffer.from(DIFFERENCE_BYTES, 'base64'));
      const { exports } = new WebAssembly.Instance(module);
      return new WasmDifference(exports as DifferenceExports);
    } catch {
      return undefined;
    }
  }

  takes(base: Piece, next: Piece, limit: number): boolean {
    return base.length <= CAPACITY && next.length <= CAPACITY && limit <= CAPACITY;
  }

  /** As `writeDifference`, for what it takes. */
  write(
    base: Piece,
    next: Piece,
    target: Buffer,
    start: number,
    limit: number,
  ): number | undefined {
    const memory = this.#memory;
    base.bytes.copy(memory, this.#base, base.start, base.start + base.length);
    next.bytes.copy(memory, this.#next, next.start, next.start + next.length);
    const length = this.#exports.difference(base.length, next.length, limit - start);
    if (length < 0) return undefined;
    return start + memory.copy(target, start, this.#target, this.#target + length);
  }
}
