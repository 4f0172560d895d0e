import { expect } from 'chai';
import { WatchBuffer } from '../../../lib/server/etcd/watch-buffer.ts';
import type { KeyValueWatchMessage } from '../../../lib/server/mvcc/contract/key-value-store.ts';

function eventAt(modRevision: bigint): KeyValueWatchMessage {
  const kv = { key: '/a', value: new Uint8Array(), modRevision, createRevision: 1n, version: 1n };
  return { type: 'event', event: { type: 'put', kv } } as unknown as KeyValueWatchMessage;
}

describe('the buffer of a watch on etcd', () => {
  it('keeps one progress message between events, however often progress comes while no reader takes it', async () => {
    const calls: string[] = [];
    const buffer = new WatchBuffer({
      capacity: 10,
      onFull: () => calls.push('full'),
      onRoom: () => calls.push('room'),
      onLeave: () => {},
    });
    for (let revision = 1n; revision <= 100n; revision += 1n) {
      buffer.push([{ type: 'progress', revision }]);
    }
    buffer.push([eventAt(101n)]);
    for (let revision = 101n; revision <= 200n; revision += 1n) {
      buffer.push([{ type: 'progress', revision }]);
    }
    const { value = [] } = await buffer[Symbol.asyncIterator]().next();
    expect(value).to.deep.equal([
      { type: 'progress', revision: 100n },
      eventAt(101n),
      { type: 'progress', revision: 200n },
    ]);
    expect(calls).to.deep.equal([]);
  });
});
