import { EVENT_TYPES, type ObjectScan, type ScannedEventType } from '../object-scan.ts';
import { SCANNER_BYTES } from './scanner-bytes.ts';

/** The part of WebAssembly that is used here; TypeScript declares it for browsers only. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly result: { readonly value: number };
  readonly input: { readonly value: number };
  object(start: number, end: number): number;
  event(start: number, end: number): number;
}

// Places in the result of a scan, as in `scanner.as.ts`. An end is one place after its start.
const PLAIN = 0;
const EVENT_TYPE = 1;
const OBJECT = 2;
const METADATA = 4;
const MANAGED_FIELDS = 6;
const LONGEST = 8;
const NAME = 10;
const NAMESPACE = 12;
const UID = 14;
const RESOURCE_VERSION = 16;
const HAS_KIND = 18;
const HAS_API_VERSION = 19;
const RESULT_LENGTH = 20;

/** Bytes after the end that a scan may read. */
const READ_BEYOND = 16;
const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * `ObjectScanner` in WebAssembly with SIMD; the bytes are copied into its memory first. It takes the same objects and finds the same
 * places in them, except that it calls values with more than 512 levels invalid.
 */
export class WasmScanner implements ObjectScan {
  readonly #scanner: ScannerExports;
  readonly #memory: Buffer;
  readonly #result: Int32Array;
  readonly #input: number;
  /** The most bytes that can be loaded. */
  readonly capacity: number;
  #bytes: Buffer = NO_BYTES;
  /** Added to an address, it gives the offset in the bytes. */
  #shift = 0;
  #end = 0;
  plain = false;
  hasKind = false;
  hasApiVersion = false;
  name: string | undefined;
  namespace: string | undefined;
  uid: string | undefined;
  resourceVersion: string | undefined;
  metadataStart = -1;
  metadataEnd = -1;
  managedFieldsStart = -1;
  managedFieldsEnd = -1;
  longestStart = -1;
  longestEnd = -1;
  eventType: ScannedEventType = 'ADDED';
  objectStart = -1;
  objectEnd = -1;

  private constructor(scanner: ScannerExports) {
    this.#scanner = scanner;
    const { buffer } = scanner.memory;
    this.#memory = Buffer.from(buffer);
    this.#result = new Int32Array(buffer, scanner.result.value, RESULT_LENGTH);
    this.#input = scanner.input.value;
    this.capacity = this.#memory.length - this.#input - READ_BEYOND;
  }

  /** Undefined where WebAssembly or its SIMD is missing. Compiling takes about half a millisecond. */
  static open(): WasmScanner | undefined {
    const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };
    if (WebAssembly === undefined) return undefined;
    try {
      const module = new WebAssembly.Module(Buffer.from(SCANNER_BYTES, 'base64'));
      const { exports } = new WebAssembly.Instance(module);
      return new WasmScanner(exports as ScannerExports);
    } catch {
      return undefined;
    }
  }

  /** Copies the bytes that are scanned next: at most `capacity`. They must not change until the scans are done. */
  load(bytes: Buffer, start: number, end: number): void {
    bytes.copy(this.#memory, this.#input, start, end);
    this.#bytes = bytes;
    this.#shift = start - this.#input;
    this.#end = this.#input + end - start;
  }

  /** Scans the object that starts at `start` of the loaded bytes. Returns the position after it, or `INCOMPLETE` or `INVALID`. */
  scanObject(start: number): number {
    const end = this.#scanner.object(start - this.#shift, this.#end);
    if (end < 0) return end;
    this.#take();
    return end + this.#shift;
  }

  /** Whether the bytes, at most `capacity`, are one event with a plain object. */
  scanEvent(bytes: Buffer, start: number, end: number): boolean {
    this.load(bytes, start, end);
    if (this.#scanner.event(this.#input, this.#end) === 0) return false;
    this.#take();
    const result = this.#result;
    this.eventType = EVENT_TYPES[result[EVENT_TYPE] as number] as ScannedEventType;
    this.objectStart = (result[OBJECT] as number) + this.#shift;
    this.objectEnd = (result[OBJECT + 1] as number) + this.#shift;
    return true;
  }

  #take(): void {
    const result = this.#result;
    const shift = this.#shift;
    this.plain = result[PLAIN] === 1;
    this.hasKind = result[HAS_KIND] === 1;
    this.hasApiVersion = result[HAS_API_VERSION] === 1;
    this.name = this.#text(NAME);
    this.namespace = this.#text(NAMESPACE);
    this.uid = this.#text(UID);
    this.resourceVersion = this.#text(RESOURCE_VERSION);
    const metadata = result[METADATA] as number;
    this.metadataStart = metadata < 0 ? -1 : metadata + shift;
    this.metadataEnd = (result[METADATA + 1] as number) + shift;
    const managedFields = result[MANAGED_FIELDS] as number;
    this.managedFieldsStart = managedFields < 0 ? -1 : managedFields + shift;
    this.managedFieldsEnd = (result[MANAGED_FIELDS + 1] as number) + shift;
    const longest = result[LONGEST] as number;
    this.longestStart = longest < 0 ? -1 : longest + shift;
    this.longestEnd = (result[LONGEST + 1] as number) + shift;
  }

  #text(place: number): string | undefined {
    const start = this.#result[place] as number;
    if (start < 0) return undefined;
    const shift = this.#shift;
    const end = this.#result[place + 1] as number;
    return this.#bytes.toString('latin1', start + shift, end + shift);
  }
}
