import { expect } from 'chai';
import {
  closeFrame,
  pongFrame,
  textFrames,
} from '../../../../lib/server/api/websocket/server-frames.ts';

describe('the frames of a WebSocket server', () => {
  const line = (size: number): Buffer => Buffer.from(`${'x'.repeat(size - 1)}\n`);

  it('are one for each line, not masked, with the newline', () => {
    const expected = Buffer.concat([
      Buffer.of(0x81, 4),
      Buffer.from('{a}\n'),
      Buffer.of(0x81, 2),
      Buffer.from('b\n'),
    ]);
    expect(textFrames(Buffer.from('{a}\nb\n'))).to.deep.equal(expected);
  });

  it('have the length in 1, 2 or 8 bytes', () => {
    const heads: readonly [size: number, head: string][] = [
      [125, '817d'],
      [126, '817e007e'],
      [65_535, '817effff'],
      [65_536, '817f0000000000010000'],
    ];
    for (const [size, head] of heads) {
      const frame = textFrames(line(size));
      expect(frame.subarray(0, -size).toString('hex'), String(size)).to.equal(head);
      expect(frame.subarray(-size).equals(line(size))).to.equal(true);
    }
  });

  it('carry a last line without a newline too, and nothing for nothing', () => {
    expect(textFrames(Buffer.from('a\nb')).toString('latin1')).to.equal('\x81\x02a\n\x81\x01b');
    expect(textFrames(Buffer.alloc(0)).length).to.equal(0);
  });

  it('close with a code, and answer a ping with its payload', () => {
    expect(closeFrame(1000).toString('hex')).to.equal('880203e8');
    expect(pongFrame(Buffer.from('hi')).toString('latin1')).to.equal('\x8a\x02hi');
  });
});
