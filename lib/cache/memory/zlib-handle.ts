import {
  constants,
  createDeflateRaw,
  createInflateRaw,
  deflateRawSync,
  inflateRawSync,
} from 'node:zlib';

/**
 * One direction of raw deflate with one dictionary: the whole of `input` goes to `output` from `start`, before `end`.
 * Returns where it ends, or undefined when there is no byte left behind it, or when zlib refuses.
 */
export type ZlibCall = (
  input: Uint8Array,
  output: Uint8Array,
  start: number,
  end: number,
) => number | undefined;

export interface ZlibCalls {
  readonly deflate: ZlibCall;
  readonly inflate: ZlibCall;
  /** What they take for good, outside the heap, as zlib documents it. */
  readonly nativeBytes: number;
}

/** What the zlib streams of Node work with inside; `pngjs` calls it in the same way. */
interface ZlibHandle {
  /** Begins anew, with the dictionary it has. */
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputStart: number,
    inputLength: number,
    output: Uint8Array,
    outputStart: number,
    outputLength: number,
  ): void;
  /** Called while `writeSync` runs. */
  readonly onerror: (message: string, errno: number, code: string) => void;
}

interface ZlibStream {
  readonly _handle?: Partial<ZlibHandle> | undefined;
  /** Bytes that are left of the output and of the input. */
  readonly _writeState?: Uint32Array | undefined;
}

/** Measured with pods: lower ones are a tenth faster, and what they make is a tenth longer. */
const LEVEL = 6;
/** The streams are never written to, and do not need their buffers. */
const SMALLEST_CHUNK = 64;
/** What deflate adds at most to what it cannot make shorter: a few bytes, and five for every 16 KB. */
const WORST_EXTRA = 64;
const WORST_SHIFT = 11;

/** With the usual window of 32 KB: for deflate, and, with a few kilobytes for its tables, for inflate. */
const DEFLATE_BYTES = (1 << 17) + (1 << 17);
const INFLATE_BYTES = (1 << 15) + 7 * 1024;

/** A length that whatever becomes of so many bytes is below. */
export function deflateBound(length: number): number {
  return length + (length >>> WORST_SHIFT) + WORST_EXTRA;
}

/**
 * Calls that use one handle for everything, since a new one for each object takes 300 KB until the next garbage collection,
 * and half of the time. The public functions instead where Node has no such handles.
 */
export function zlibCalls(dictionary: Uint8Array): ZlibCalls {
  return handleCalls(dictionary) ?? publicCalls(dictionary);
}

/** Calls of one handle each; undefined where Node does not offer what they need. */
export function handleCalls(dictionary: Uint8Array): ZlibCalls | undefined {
  const calls = openHandles(dictionary);
  return calls !== undefined && worksTwice(calls) ? calls : undefined;
}

/** Calls of the public functions: a new handle for each. */
export function publicCalls(dictionary: Uint8Array): ZlibCalls {
  const into =
    (call: (input: Uint8Array, maxOutputLength: number) => Uint8Array): ZlibCall =>
    (input, output, start, end) => {
      let made: Uint8Array;
      try {
        made = call(input, Math.max(1, end - start));
      } catch {
        return undefined;
      }
      if (made.length >= end - start) return undefined;
      output.set(made, start);
      return start + made.length;
    };
  return {
    deflate: into((input) => deflateRawSync(input, { dictionary, level: LEVEL })),
    inflate: into((input, maxOutputLength) =>
      inflateRawSync(input, { dictionary, maxOutputLength }),
    ),
    nativeBytes: 0,
  };
}

function openHandles(dictionary: Uint8Array): ZlibCalls | undefined {
  const options = { dictionary, chunkSize: SMALLEST_CHUNK };
  const deflate = handleCall(createDeflateRaw({ ...options, level: LEVEL }));
  const inflate = handleCall(createInflateRaw(options));
  if (deflate === undefined || inflate === undefined) return undefined;
  // Each of them has a copy of the dictionary.
  const nativeBytes = DEFLATE_BYTES + INFLATE_BYTES + 2 * dictionary.length;
  return { deflate, inflate, nativeBytes };
}

function handleCall(stream: object): ZlibCall | undefined {
  const { _handle: handle, _writeState: left } = stream as ZlibStream;
  if (!isUsable(handle) || !(left instanceof Uint32Array)) return undefined;
  let failed = false;
  Object.assign(handle, {
    onerror: (): void => {
      failed = true;
    },
  });
  return (input, output, start, end) => {
    failed = false;
    handle.reset();
    handle.writeSync(constants.Z_FINISH, input, 0, input.length, output, start, end - start);
    const room = left[0] as number;
    return failed || room === 0 ? undefined : end - room;
  };
}

function isUsable(handle: Partial<ZlibHandle> | undefined): handle is ZlibHandle {
  return (
    typeof handle?.writeSync === 'function' &&
    typeof handle.reset === 'function' &&
    typeof handle.onerror === 'function'
  );
}

/** The second time shows whether the dictionary is still there. */
function worksTwice({ deflate, inflate }: ZlibCalls): boolean {
  const text = Buffer.from('{"kind":"Pod"}');
  const [made, back] = [new Uint8Array(deflateBound(text.length)), new Uint8Array(text.length + 1)];
  for (let time = 0; time < 2; time += 1) {
    const end = deflate(text, made, 0, made.length);
    if (end === undefined || end === 0) return false;
    back.fill(0);
    if (inflate(made.subarray(0, end), back, 0, back.length) !== text.length) return false;
    if (text.compare(back, 0, text.length) !== 0) return false;
  }
  return true;
}
