import { expect } from 'chai';
import protobuf from 'protobufjs/light.js';
import { WireReader } from '../../../../lib/meta/protobuf/wire/wire-reader.ts';

const NUMBERS = [0n, 1n, 127n, 128n, 300n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 2n ** 32n];
const LARGE = [2n ** 35n - 1n, 2n ** 42n + 5n, 2n ** 53n - 1n, 2n ** 62n, 2n ** 63n - 1n];
const NEGATIVE = [-1n, -2n, -(2n ** 31n), -(2n ** 31n) - 1n, -(2n ** 53n), -(2n ** 63n)];

/** The bytes that protobufjs writes for a number. */
function written(value: bigint): Uint8Array {
  const long = {
    low: Number(BigInt.asIntN(32, value)),
    high: Number(BigInt.asIntN(32, value >> 32n)),
    unsigned: false,
  };
  return protobuf.Writer.create().int64(long).finish();
}

describe('WireReader', () => {
  for (const value of [...NUMBERS, ...LARGE, ...NEGATIVE]) {
    it(`reads ${value} as protobufjs wrote it`, () => {
      const bytes = written(value);
      const reader = new WireReader(bytes);
      expect(reader.int64()).to.equal(Number(value));
      expect(reader.done).to.equal(true);
      expect(new WireReader(bytes).bigint()).to.equal(value);
      expect(new WireReader(bytes).int32()).to.equal(Number(BigInt.asIntN(32, value)));
      expect(new WireReader(bytes).uint32()).to.equal(Number(BigInt.asUintN(32, value)));
    });
  }

  it('returns a view of bytes, and goes on behind them', () => {
    const source = protobuf.Writer.create().bytes(Uint8Array.of(7, 8)).uint32(9).finish();
    const reader = new WireReader(source);
    const view = reader.bytes();
    expect([...view]).to.deep.equal([7, 8]);
    expect(view.buffer).to.equal(source.buffer);
    expect(reader.uint32()).to.equal(9);
    expect(reader.done).to.equal(true);
  });

  it('refuses a number that is cut off', () => {
    expect(() => new WireReader(Uint8Array.of(0x80)).int64()).to.throw(RangeError, 'bytes end');
    expect(() => new WireReader(new Uint8Array()).uint32()).to.throw(RangeError, 'bytes end');
  });

  it('refuses a number of more than ten bytes', () => {
    const endless = new Uint8Array(11).fill(0x80);
    expect(() => new WireReader(endless).int64()).to.throw(RangeError, 'more than 10 bytes');
  });

  it('refuses bytes that their length says go beyond the end', () => {
    expect(() => new WireReader(Uint8Array.of(3, 1, 2)).bytes()).to.throw(RangeError, 'bytes end');
    const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f);
    expect(() => new WireReader(huge).bytes()).to.throw(RangeError, 'bytes end');
  });
});
