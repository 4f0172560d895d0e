import { expect } from 'chai';
import type { WatchResponse } from '../../../lib/server/etcd/messages.ts';
import { WatchResponses } from '../../../lib/server/etcd/watch-responses.ts';

const NOTHING: WatchResponse = {
  revision: 0n,
  watchId: 0n,
  created: false,
  canceled: false,
  compactRevision: 0n,
  cancelReason: '',
  fragment: false,
  events: [],
};

function eventsAt(...revisions: readonly bigint[]): WatchResponse {
  const value = Buffer.from('value');
  const events = revisions.map((modRevision) => ({
    type: 'put' as const,
    kv: { key: '/a', value, createRevision: 1n, modRevision, version: modRevision, lease: 0n },
  }));
  return { ...NOTHING, revision: revisions.at(-1) ?? 0n, events };
}

describe('the progress of a watch on etcd', () => {
  let responses: WatchResponses;
  beforeEach(() => {
    responses = new WatchResponses({ start: 5n, trustsProgress: true });
  });

  it('is not known while the cluster is at a revision that was not delivered', () => {
    responses.take(eventsAt(5n));
    expect(responses.progressAt(6n)).to.equal(undefined);
    expect(responses.progressAt(5n)).to.equal(5n);
  });

  it('does not go behind an event that came while the revision was read', () => {
    responses.take(eventsAt(5n, 6n, 7n));
    expect(responses.progressAt(6n)).to.equal(7n);
  });

  it('does not go behind progress that came while the revision was read', () => {
    responses.take({ ...NOTHING, revision: 9n, watchId: -1n });
    expect(responses.progressAt(8n)).to.equal(9n);
    expect(responses.take({ ...NOTHING, revision: 7n })).to.deep.equal({ type: 'nothing' });
  });

  it('is the revision of the cluster where the watch begins in the future', () => {
    expect(responses.progressAt(2n)).to.equal(2n);
    expect(responses.progressAt(3n)).to.equal(3n);
  });
});
