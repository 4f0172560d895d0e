/** Bytes that are taken from the machine at a time. A stored value keeps this much alive. */
const SLAB_BYTES = 32 * 1024;
/** Longer texts get memory of their own. In UTF-16 units, of which each takes at most three bytes. */
const LONGEST_SHARED = 4 * 1024;

/** The memory of bytes that were made here. */
type TextMemory = ArrayBufferLike & { holdsTexts?: true };

let slab = newSlab();
let used = 0;

/**
 * The text in UTF-8. Texts of some hundred bytes follow each other in slabs: Node's own pool is a quarter as large, and making one takes as
 * long as encoding a dozen objects. The bytes are never written again.
 */
export function encodedText(text: string): Uint8Array {
  if (text.length > LONGEST_SHARED) {
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length === bytes.buffer.byteLength) (bytes.buffer as TextMemory).holdsTexts = true;
    return bytes;
  }
  if (used + 3 * text.length > SLAB_BYTES) {
    slab = newSlab();
    used = 0;
  }
  const start = used;
  used += slab.write(text, start, 'utf8');
  return slab.subarray(start, used);
}

/** Whether the bytes were made by `encodedText`: an engine in this process returns the same arrays. */
export function isEncodedText(bytes: Uint8Array): boolean {
  return (bytes.buffer as TextMemory).holdsTexts === true;
}

function newSlab(): Buffer {
  const memory = Buffer.allocUnsafeSlow(SLAB_BYTES);
  (memory.buffer as TextMemory).holdsTexts = true;
  return memory;
}
