import { expect } from 'chai';
import { ClientFrames } from '../../../../lib/server/api/websocket/client-frames.ts';
import { clientFrame } from './web-socket-client.ts';

/** The frames that a reader finds in these pieces. */
function read(...pieces: readonly Uint8Array[]): string[] {
  const seen: string[] = [];
  const frames = new ClientFrames({
    ping: (payload) => seen.push(`ping ${Buffer.from(payload).toString()}`),
    close: (code) => seen.push(`close ${code}`),
  });
  for (const piece of pieces) frames.push(piece);
  return seen;
}

const PING = clientFrame(0x9, 'hello');

describe('the frames of a WebSocket client', () => {
  it('ask for a pong with their payload', () => {
    expect(read(PING, clientFrame(0x9, ''))).to.deep.equal(['ping hello', 'ping ']);
  });

  it('may arrive cut anywhere, and several at once', () => {
    const all = Buffer.concat([clientFrame(0x1, 'x'.repeat(300)), PING, clientFrame(0x8, '')]);
    const bytes = [...all].map((byte) => Buffer.of(byte));
    for (const pieces of [[all], bytes]) {
      expect(read(...pieces)).to.deep.equal(['ping hello', 'close 1000']);
    }
  });

  it('are dropped when they carry data, whole or in fragments', () => {
    const fragments = [clientFrame(0x1, 'a', { final: false }), clientFrame(0x0, 'b')];
    const data = [clientFrame(0x2, 'x'.repeat(70_000)), ...fragments, clientFrame(0x1, '')];
    expect(read(...data, PING)).to.deep.equal(['ping hello']);
  });

  it('pass messages on while they arrive, without their mask', () => {
    const seen: string[] = [];
    const frames = new ClientFrames({
      ping: () => seen.push('ping'),
      close: () => {},
      message: {
        data: (piece, starts) =>
          seen.push(`${starts ? 'first ' : ''}${Buffer.from(piece).toString()}`),
        end: () => seen.push('end'),
      },
    });
    const first = clientFrame(0x2, 'abcdef', { final: false });
    const all = [
      clientFrame(0x1, '', { final: false }),
      clientFrame(0x0, 'text'),
      clientFrame(0x1, ''),
    ];
    for (const piece of [
      first.subarray(0, 9),
      first.subarray(9),
      PING,
      clientFrame(0x0, 'gh'),
      ...all,
    ]) {
      frames.push(piece);
    }
    const parts = ['first abc', 'def', 'ping', 'gh', 'end', 'first text', 'end', 'end'];
    expect(seen).to.deep.equal(parts);
  });

  it('are ignored when their opcode is unknown, and for a pong', () => {
    const others = [0x3, 0xb, 0xa].map((code) => clientFrame(code, 'x'));
    expect(read(...others, PING)).to.deep.equal(['ping hello']);
  });

  it('close with 1000 for any code of the client', () => {
    for (const payload of ['', '\x03\xe8', '\x03\xe9bye']) {
      expect(read(clientFrame(0x8, payload))).to.deep.equal(['close 1000']);
    }
  });

  it('close with 1002 when they are not masked', () => {
    for (const code of [0x1, 0x8, 0x9]) {
      expect(read(clientFrame(code, 'x', { masked: false }))).to.deep.equal(['close 1002']);
    }
    expect(read(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).to.deep.equal(['close 1002']);
  });

  it('close with 1009 when they announce more than 32 MiB', () => {
    const announced = (size: number): Buffer => {
      const head = Buffer.alloc(14);
      head.writeUInt16BE(0x81ff, 0);
      head.writeBigUInt64BE(BigInt(size), 2);
      return head;
    };
    expect(read(announced(32 * 1024 * 1024))).to.deep.equal([]);
    expect(read(announced(32 * 1024 * 1024 + 1))).to.deep.equal(['close 1009']);
    expect(read(Buffer.from('81ffffffffffffffffff00000000', 'hex'))).to.deep.equal(['close 1009']);
  });

  it('mean nothing after the close', () => {
    expect(read(Buffer.concat([clientFrame(0x8, ''), PING]), PING)).to.deep.equal(['close 1000']);
  });

  it('are cut to 125 bytes when they are longer pings', () => {
    const seen = read(clientFrame(0x9, 'h'.repeat(126)), PING);
    expect(seen).to.deep.equal([`ping ${'h'.repeat(125)}`, 'ping hello']);
  });
});
