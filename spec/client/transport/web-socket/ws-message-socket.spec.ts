import { EventEmitter } from 'eventemitter3';
import { expect } from 'chai';
import { WsMessageSocket } from '../../../../lib/client/transport/web-socket/ws-message-socket.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { errorMessage } from '../../../../lib/kernel/failure/errors.ts';

/** Notes what is done with it. */
class NotedSocket extends EventEmitter {
  readonly protocol = 'v5.channel.k8s.io';
  readonly calls: string[] = [];
  bufferedAmount = 0;

  ping(): void {
    this.calls.push('ping');
  }

  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }

  close(code: number): void {
    this.calls.push(`close ${code}`);
  }

  terminate(): void {
    this.calls.push('terminate');
    this.emit('close', 1006, Buffer.alloc(0));
  }

  send(_: Uint8Array, callback: (error?: Error) => void): void {
    callback();
  }
}

function rig(deadPeerMs: number = 60_000): {
  readonly runtime: VirtualRuntime;
  readonly ws: NotedSocket;
  readonly socket: WsMessageSocket;
  readonly ends: string[];
  /** The times of pings, milliseconds. */
  readonly pings: () => Promise<number[]>;
} {
  const runtime = new VirtualRuntime();
  const ws = new NotedSocket();
  const ends: string[] = [];
  const socket = new WsMessageSocket(ws, {
    target: { server: 'https://cluster.example', method: 'GET', path: '/exec' },
    signal: new AbortController().signal,
    deadPeerMs,
    runtime,
    onClosed: () => ends.push('closed'),
  });
  socket.listen({
    message: () => {},
    closed: (error) => ends.push(error === undefined ? 'regular' : errorMessage(error)),
  });
  const pings = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let second = 0; second < 40; second += 1) {
      const before = ws.calls.length;
      await runtime.advance(1000);
      if (ws.calls.slice(before).includes('ping')) times.push(runtime.monotonicMs());
    }
    return times;
  };
  return { runtime, ws, socket, ends, pings };
}

describe('WsMessageSocket', () => {
  it('pings after 15 s without a message, counted from the last one', async () => {
    const { runtime, ws, pings } = rig();
    await runtime.advance(10_000);
    ws.emit('message', Buffer.from('0'));
    expect(await pings()).to.deep.equal([25_000, 40_000]);
  });

  it('counts no resume of a socket that is read already as something heard', async () => {
    const { runtime, ws, socket, pings } = rig();
    await runtime.advance(10_000);
    socket.resume();
    expect(ws.calls.filter((call) => call === 'resume')).to.deep.equal(['resume']);
    expect((await pings())[0]).to.equal(15_000);
  });

  it('ends the connection to a peer that does not answer for deadPeerMs', async () => {
    const { runtime, ws, ends } = rig(20_000);
    await runtime.advance(5000);
    ws.emit('pong', Buffer.alloc(0));
    await runtime.advance(19_999);
    expect(ends).to.deep.equal([]);
    await runtime.advance(1);
    expect(ends[0]).to.equal('closed');
    expect(ends[1]).to.contain('the server sent no byte for 20000 ms');
    expect(ws.calls.at(-1)).to.equal('terminate');
  });

  it('does not blame the peer for what is not read, or not sent yet', async () => {
    const { runtime, ws, socket, ends } = rig(20_000);
    socket.pause();
    await runtime.advance(100_000);
    socket.resume();
    ws.bufferedAmount = 1;
    await runtime.advance(100_000);
    expect(ends).to.deep.equal([]);
  });

  it('keeps no program running by its pings', () => {
    const { runtime } = rig();
    expect(runtime.pending).to.equal(0);
  });

  it('reports its end once, and waits two seconds at most for the close frame of the peer', async () => {
    const { runtime, ws, socket, ends } = rig();
    socket.end();
    expect(ws.calls.at(-1)).to.equal('close 1000');
    await runtime.advance(2000);
    expect(ws.calls.at(-1)).to.equal('terminate');
    expect(ends.filter((end) => end === 'closed')).to.deep.equal(['closed']);
    socket.end();
    socket.destroy(new Error('again'));
    ws.emit('close', 1000, Buffer.alloc(0));
    expect(ends.filter((end) => end === 'closed')).to.deep.equal(['closed']);
  });

  it('reports a regular end without a failure', () => {
    const { ws, ends } = rig();
    ws.emit('close', 1001, Buffer.alloc(0));
    expect(ends).to.deep.equal(['closed', 'regular']);
  });
});
