import { deflateSync, inflateSync } from 'node:zlib';

/** Bytes of a pixel of what a browser takes: red, green, blue, and opacity or not. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
const MOST_COLORS = 256;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB of each pixel. */
  readonly colors: Uint32Array;
}

/** The same picture with at most 256 colours, which is a fraction of the size: screenshots of pages have few. */
export function palettePng(png: Uint8Array): Buffer {
  const { width, height, colors } = decode(Buffer.from(png));
  const { palette, indexOf } = paletteOf(colors);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = indexOf(colors[y * width + x] as number);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colorTable = Buffer.from(
    palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]),
  );
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', colorTable),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent colours; another one becomes the nearest of them. */
function paletteOf(colors: Uint32Array): {
  readonly palette: readonly number[];
  readonly indexOf: (color: number) => number;
} {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MOST_COLORS)
    .map(([color]) => color);
  const known = new Map(palette.map((color, index) => [color, index]));
  const indexOf = (color: number): number => {
    const found = known.get(color);
    if (found !== undefined) return found;
    let [best, least] = [0, Infinity];
    for (const [index, one] of palette.entries()) {
      const distance =
        ((one >> 16) - (color >> 16)) ** 2 +
        (((one >> 8) & 255) - ((color >> 8) & 255)) ** 2 +
        ((one & 255) - (color & 255)) ** 2;
      if (distance < least) [best, least] = [index, distance];
    }
    known.set(color, best);
    return best;
  };
  return { palette, indexOf };
}

function decode(png: Buffer): Pixels {
  const parts: Buffer[] = [];
  let [width, height, channels] = [0, 0, 4];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = CHANNELS[data[9] as number] ?? 4;
    }
    if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels);
  const colors = new Uint32Array(width * height);
  for (let pixel = 0; pixel < colors.length; pixel += 1) {
    const at = pixel * channels;
    const [red = 0, green = 0, blue = 0] = bytes.subarray(at, at + 3);
    colors[pixel] = (red << 16) | (green << 8) | blue;
  }
  return { width, height, colors };
}

/** @see https://www.w3.org/TR/png-3/#9Filters */
function unfiltered(rows: Buffer, stride: number, channels: number): Buffer {
  const height = rows.length / (stride + 1);
  const out = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? (out[y * stride + x - channels] as number) : 0;
      const up = y > 0 ? (out[(y - 1) * stride + x] as number) : 0;
      const corner = x >= channels && y > 0 ? (out[(y - 1) * stride + x - channels] as number) : 0;
      const raw = rows[y * (stride + 1) + 1 + x] as number;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[y * stride + x] = (raw + guess) & 255;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(checksum(body));
  return Buffer.concat([length, body, sum]);
}

function checksum(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return (sum ^ 0xffffffff) >>> 0;
}
