import { expect } from 'chai';
import {
  FrameSplitter,
  type FrameTaker,
} from '../../../../lib/client/transport/body/frame-splitter.ts';
import { thrownBy } from '../../support/failure-of.ts';

const textOf = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('utf8', start, end);

function split(pieces: readonly Buffer[], splitter: FrameSplitter = new FrameSplitter()): string[] {
  const frames: string[] = [];
  const keep: FrameTaker = (...frame) => frames.push(textOf(...frame));
  for (const piece of pieces) splitter.push(piece, keep);
  splitter.end(keep);
  return frames;
}

/** The bytes that buffers copy into one another in `run`. */
function bytesCopied(run: () => void): number {
  const { prototype } = Buffer;
  const original = Reflect.get(prototype, 'copy') as Buffer['copy'];
  let bytes = 0;
  prototype.copy = function copy(this: Buffer, ...args: Parameters<Buffer['copy']>): number {
    const copied = original.apply(this, args);
    bytes += copied;
    return copied;
  };
  try {
    run();
  } finally {
    prototype.copy = original;
  }
  return bytes;
}

describe('FrameSplitter', () => {
  const text = '{"a":"é"}\r\n\n{"b":"漢字"}\n  \r\n{"c":"😀"}\n{"d":1}';
  const frames = ['{"a":"é"}', '{"b":"漢字"}', '{"c":"😀"}', '{"d":1}'];

  it('finds the same frames for every cut into two pieces, also inside characters and CRLF', () => {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(split(pieces), `cut at ${cut}`).to.deep.equal(frames);
    }
  });

  it('finds the same frames byte by byte, and in plain byte arrays', () => {
    const bytes = Buffer.from(text);
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(split(single)).to.deep.equal(frames);

    const plain = new Uint8Array(bytes.length + 2);
    plain.set(bytes, 1);
    const found: string[] = [];
    const splitter = new FrameSplitter();
    const keep: FrameTaker = (...frame) => found.push(textOf(...frame));
    splitter.push(plain.subarray(1, -1), keep);
    splitter.end(keep);
    expect(found).to.deep.equal(frames);
  });

  it('hands out a frame inside one piece without copying it', () => {
    const piece = Buffer.from('{"a":1}\n{"b":2}\n');
    const places: [number, number][] = [];
    new FrameSplitter().push(piece, (bytes, start, end) => {
      expect(bytes).to.equal(piece);
      places.push([start, end]);
    });
    expect(places).to.deep.equal([
      [0, 7],
      [8, 15],
    ]);
  });

  it('never reuses the memory of a frame it handed out', () => {
    const kept: Parameters<FrameTaker>[] = [];
    const splitter = new FrameSplitter();
    for (const piece of ['{"first', '":1}\n{"sec', 'ond":2}\n{"third', '":3}\n']) {
      splitter.push(Buffer.from(piece), (...frame) => kept.push(frame));
    }
    expect(kept.map((frame) => textOf(...frame))).to.deep.equal([
      '{"first":1}',
      '{"second":2}',
      '{"third":3}',
    ]);
  });

  it('knows the number of a frame and where its line starts', () => {
    const splitter = new FrameSplitter();
    const places: [number, number][] = [];
    const keep = (): void => {
      places.push([splitter.frames, splitter.offset]);
    };
    splitter.push(Buffer.from('{}\n\r\n{"a"'), keep);
    splitter.push(Buffer.from(':1}\n{'), keep);
    splitter.push(Buffer.from('}\n'), keep);
    expect(places).to.deep.equal([
      [1, 0],
      [2, 5],
      [3, 13],
    ]);
  });

  it('refuses a frame over the limit after the frames before it, whole or in pieces', () => {
    for (const pieces of [['{}\n12345678901'], ['{}\n123456', '78901'], ['{}\n12345678901\n']]) {
      const splitter = new FrameSplitter({ maxFrameBytes: 10 });
      const found: string[] = [];
      const error = thrownBy(() => {
        for (const piece of pieces) {
          splitter.push(Buffer.from(piece), (...frame) => found.push(textOf(...frame)));
        }
      });
      expect(error.code).to.equal('FRAME_TOO_LARGE');
      expect(found).to.deep.equal(['{}']);
      expect(splitter.frames).to.equal(2);
    }
    expect(
      split([Buffer.from('1234567890\n')], new FrameSplitter({ maxFrameBytes: 10 })),
    ).to.have.length(1);
  });

  it('copies each byte of a frame that comes in small pieces at most three times', () => {
    const bytes = 16 << 20;
    const piece = Buffer.alloc(4 * 1024, 'x');
    const splitter = new FrameSplitter();
    let found = 0;
    const copied = bytesCopied(() => {
      for (let sent = 0; sent < bytes; sent += piece.length) splitter.push(piece, () => {});
      splitter.push(Buffer.from('\n'), (_, start, end) => {
        found = end - start;
      });
    });
    expect(found).to.equal(bytes);
    // Copying the held bytes for each piece would move 32 GiB.
    expect(copied).to.be.within(bytes, 3 * bytes);
  });

  it('holds an unfinished frame in at least 1 KiB, at most twice its size, and never above the limit', () => {
    const sizes: number[] = [];
    const allocated = (limit: number, ...pieces: number[]): number[] => {
      sizes.length = 0;
      const original = Reflect.get<typeof Buffer, 'allocUnsafe'>(Buffer, 'allocUnsafe');
      Buffer.allocUnsafe = (size) => {
        sizes.push(size);
        return original.call(Buffer, size);
      };
      try {
        const splitter = new FrameSplitter({ maxFrameBytes: limit });
        for (const piece of pieces) splitter.push(Buffer.alloc(piece, 'x'), () => {});
      } finally {
        Buffer.allocUnsafe = original;
      }
      return [...sizes];
    };
    expect(allocated(1 << 20, 1)).to.deep.equal([1024]);
    expect(allocated(1 << 20, 1000, 24)).to.deep.equal([2000]);
    expect(allocated(1 << 20, 1, 1023, 1)).to.deep.equal([1024, 2050]);
    expect(allocated(3000, 2000, 1000)).to.deep.equal([3000]);
    expect(allocated(1 << 20, 3000, 3000, 1)).to.deep.equal([6000, 12_002]);
  });

  it('accepts a frame of the limit in pieces, and takes a line of blanks for none', () => {
    const splitter = new FrameSplitter({ maxFrameBytes: 10 });
    const frames = split(
      ['12345', '67890', '\n', ' \t\r', '\r\n', '\r'].map((text) => Buffer.from(text)),
      splitter,
    );
    expect(frames).to.deep.equal(['1234567890']);
    expect(splitter).to.include({ frames: 1, offset: 17 });
  });

  it('takes a line for a frame that has anything but blanks, at any place', () => {
    for (const line of [' x', 'x ', '  x', ' \tx\r']) {
      expect(split([Buffer.from(`${line}\n`)]).join(), JSON.stringify(line)).to.contain('x');
    }
  });

  it('counts the bytes after the last newline when the stream has ended', () => {
    const splitter = new FrameSplitter();
    expect(
      split(
        ['{}\n{"a"', ':1}\r'].map((text) => Buffer.from(text)),
        splitter,
      ),
    ).to.deep.equal(['{}', '{"a":1}']);
    expect(splitter.offset).to.equal(11);
    expect(
      split(
        ['\n'].map((text) => Buffer.from(text)),
        splitter,
      ),
    ).to.deep.equal([]);
    expect(splitter).to.include({ frames: 2, offset: 12 });
  });

  it('holds nothing after it has refused a frame', () => {
    const splitter = new FrameSplitter({ maxFrameBytes: 4 });
    splitter.push(Buffer.from('123'), () => {});
    const error = thrownBy(() => splitter.push(Buffer.from('45'), () => {}));
    expect(error.message).to.contain('it is larger than maxFrameBytes, 4 bytes');
    const frames: string[] = [];
    splitter.push(Buffer.from('{}\n'), (...frame) => frames.push(textOf(...frame)));
    expect(frames).to.deep.equal(['{}']);
  });

  it('refuses unknown and senseless options', () => {
    expect(thrownBy(() => new FrameSplitter({ maxFrameBytes: 0 })).code).to.equal('INVALID_OPTION');
    const misspelt: object = { maxFrameByte: 1 };
    expect(thrownBy(() => new FrameSplitter(misspelt)).message).to.contain('maxFrameByte');
  });
});
