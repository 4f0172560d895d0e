/** Finds the end of the frame that begins at `start`; -1 if it is not complete. */
export type FrameEnd = (bytes: Uint8Array, start: number) => number;

const NEWLINE = 0x0a;
const LENGTH_BYTES = 4;

/** One JSON document a line. */
export const lineEnd: FrameEnd = (bytes, start) => {
  const newline = bytes.indexOf(NEWLINE, start);
  return newline < 0 ? -1 : newline + 1;
};

/** Each frame after its length as four bytes, big-endian, as in a watch in protobuf. */
export const lengthPrefixedEnd: FrameEnd = (bytes, start) => {
  if (bytes.length < start + LENGTH_BYTES) return -1;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, LENGTH_BYTES);
  const end = start + LENGTH_BYTES + view.getUint32(0);
  return end > bytes.length ? -1 : end;
};

const BOOKMARK = Buffer.from('BOOKMARK');
/** The type of an event is at the beginning of its frame. */
const TYPE_WITHIN = 64;

/** Whether a frame has a bookmark. Bookmarks depend on time, so they are not counted. */
export function isBookmark(bytes: Uint8Array, start: number, end: number): boolean {
  const head = bytes.subarray(start, Math.min(end, start + TYPE_WITHIN));
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(BOOKMARK);
}

/** The end of the first `count` events in whole frames, and how many of them there are. */
export function endOfEvents(
  bytes: Uint8Array,
  count: number,
  frameEnd: FrameEnd,
): { readonly end: number; readonly events: number } {
  let end = 0;
  let events = 0;
  while (end < bytes.length) {
    const next = frameEnd(bytes, end);
    if (next < 0) break;
    const bookmark = isBookmark(bytes, end, next);
    if (!bookmark && events === count) break;
    if (!bookmark) events += 1;
    end = next;
  }
  return { end, events };
}
