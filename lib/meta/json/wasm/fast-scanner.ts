import { INVALID } from '../json-scanner.ts';
import type { KnownValueOf } from '../known-values.ts';
import type { ObjectScan } from '../object-scan.ts';
import { ObjectScanner } from '../object-scanner.ts';
import { WasmScanner } from './wasm-scanner.ts';

/** How objects are scanned. */
export type ScannerKind = 'webassembly' | 'javascript';

/** One instance for all streams: a scan is one synchronous step. Undefined until the first scan, null where there is none. */
let shared: WasmScanner | null | undefined;

function sharedScanner(): WasmScanner | undefined {
  if (shared === undefined) shared = WasmScanner.open() ?? null;
  return shared ?? undefined;
}

/** The scanner of this process. It is chosen by the first call: WebAssembly with SIMD if the runtime has it. */
export function scannerKind(): ScannerKind {
  return sharedScanner() === undefined ? 'javascript' : 'webassembly';
}

/**
 * Scans objects with WebAssembly where that is possible, otherwise with `ObjectScanner`; the results are the same.
 *
 * `ObjectScanner` scans again what WebAssembly does not accept, because it is too large, too deep, not plain or invalid. That
 * is rare, and so one scanner decides what is valid.
 */
export class FastScanner {
  readonly #wasm: WasmScanner | undefined;
  readonly #javascript = new ObjectScanner();
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  #loaded = false;
  /** The results of the last scan; valid until the next scan of any `FastScanner`. */
  scan: ObjectScan = this.#javascript;

  constructor(kind: ScannerKind = scannerKind()) {
    this.#wasm = kind === 'webassembly' ? sharedScanner() : undefined;
  }

  /** As `ObjectScanner.scanEvent`. WebAssembly scans the known value, too: that takes less time than to find and compare it. */
  scanEvent(bytes: Buffer, start: number, end: number, knownValueOf?: KnownValueOf): boolean {
    const wasm = this.#wasm;
    if (wasm !== undefined && end - start <= wasm.capacity && wasm.scanEvent(bytes, start, end)) {
      this.scan = wasm;
      return true;
    }
    this.scan = this.#javascript;
    return this.#javascript.scanEvent(bytes, start, end, knownValueOf);
  }

  /** Sets the bytes in which `scanObject` finds objects, in the same synchronous step. */
  load(bytes: Buffer, start: number, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    const wasm = this.#wasm;
    this.#loaded = wasm !== undefined && end - start <= wasm.capacity;
    if (this.#loaded) wasm?.load(bytes, start, end);
  }

  /** As `ObjectScanner.scanObject`, in the loaded bytes. */
  scanObject(start: number): number {
    const wasm = this.#wasm;
    if (wasm !== undefined && this.#loaded) {
      const end = wasm.scanObject(start);
      this.scan = wasm;
      if (end !== INVALID) return end;
    }
    this.scan = this.#javascript;
    return this.#javascript.scanObject(this.#bytes, start, this.#end);
  }
}
