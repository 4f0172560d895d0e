import { expect } from 'chai';
import { CallRing } from '../../../lib/recorder/ring/client-rings.ts';
import { RingShare } from '../../../lib/recorder/ring/ring-share.ts';
import {
  jsonFrame,
  RecordKind,
  type RecordKindNumber,
} from '../../../lib/recorder/format/record-frame.ts';

class Calls {
  readonly clock: { ms: number } = { ms: 0 };
  readonly share: RingShare = new RingShare({
    maxBytes: 1_000_000,
    keepMs: 1000,
    now: () => this.clock.ms,
  });
  readonly ring: CallRing = new CallRing({ share: this.share });

  /** A record of a request; the number of the request is that of its reader too. */
  put(request: number, kind: RecordKindNumber): void {
    const reader = { by: 'call', apiVersion: 'v1', resource: 'pods' } as const;
    const sink = this.ring.sinkOf({ number: request, reader });
    sink.put(jsonFrame(kind, { at: this.clock.ms }, { request, atMs: this.clock.ms }));
  }

  /** The beginning of a dump. */
  get beginning(): readonly string[] {
    return [...this.ring.beginning().frames(7)].map(
      ({ request, kind, atMs, body }) => `${request}:${kind}@${atMs} ${String(body)}`,
    );
  }

  /** All records so far are too old. */
  age(): void {
    this.clock.ms += 2000;
    this.share.dropOld(this.ring);
  }
}

describe('CallRing', () => {
  it('begins with the watches that were open before its oldest record, as they were asked for', () => {
    const calls = new Calls();
    for (const request of [1, 2, 3]) {
      calls.put(request, RecordKind.watchAsked);
      calls.put(request, RecordKind.watchAccepted);
    }
    calls.put(4, RecordKind.watchAsked);
    calls.put(2, RecordKind.watchEnded);
    expect(calls.beginning).to.deep.equal([]);
    calls.age();
    expect(calls.beginning).to.deep.equal([
      `1:${RecordKind.watchAsked}@7 {"at":0}`,
      `1:${RecordKind.watchAccepted}@7 {"at":0}`,
      `3:${RecordKind.watchAsked}@7 {"at":0}`,
      `3:${RecordKind.watchAccepted}@7 {"at":0}`,
      `4:${RecordKind.watchAsked}@7 {"at":0}`,
    ]);
    expect(new Set(calls.ring.readers.map(({ number }) => number))).to.deep.equal(
      new Set([1, 3, 4]),
    );
    calls.put(3, RecordKind.watchFailed);
    calls.put(1, RecordKind.watchLeft);
    calls.put(4, RecordKind.watchFailed);
    calls.age();
    expect(calls.beginning).to.deep.equal([]);
    expect(calls.share.bytes, 'all are given back').to.equal(0);
  });

  it('keeps nothing of a list whose beginning is gone', () => {
    const calls = new Calls();
    calls.put(1, RecordKind.listAsked);
    calls.age();
    expect(calls.share.bytes).to.equal(0);
    calls.put(1, RecordKind.pageEnd);
    expect(calls.beginning).to.deep.equal([]);
    expect(calls.ring.size).to.equal(1);
  });

  it('takes no more, and has no more, when it is closed', () => {
    const calls = new Calls();
    calls.put(1, RecordKind.watchAsked);
    calls.age();
    calls.put(2, RecordKind.listAsked);
    calls.ring.close();
    calls.put(2, RecordKind.pageEnd);
    expect([calls.ring.size, calls.share.bytes, calls.beginning]).to.deep.equal([0, 0, []]);
  });
});
