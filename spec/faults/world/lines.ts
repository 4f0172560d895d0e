const NEWLINE = 0x0a;

/** The lines of a stream of bytes, without their newlines. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  for await (const piece of stream) {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(NEWLINE, start);
      if (end === -1) break;
      held.push(piece.subarray(start, end));
      yield Buffer.concat(held);
      held = [];
      start = end + 1;
    }
    if (start < piece.length) held.push(piece.subarray(start));
  }
  if (held.length > 0) yield Buffer.concat(held);
}
