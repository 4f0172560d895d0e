import { expect } from 'chai';
import { applyBatch, newestVersion } from '../../../lib/cache/reflector/event-batch.ts';
import type { ObjectEvent, WatchEvent } from '../../../lib/meta/watch-event.ts';
import type { HasMetadata } from '../../../lib/meta/object.ts';
import { RecordingSink } from './reflector-support.ts';

type Event = WatchEvent<HasMetadata>;

const event = (type: 'ADDED' | 'MODIFIED', resourceVersion?: string): Event => ({
  type,
  object: { metadata: { name: 'x', resourceVersion } },
});

const bookmark = (resourceVersion: string): Event => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: false,
});

describe('newestVersion', () => {
  it('is that of the last event, even when an earlier one is larger', () => {
    expect(newestVersion([event('MODIFIED', '55'), event('MODIFIED', '32')], false)).to.equal('32');
    expect(newestVersion([event('ADDED', '55'), bookmark('60')], false)).to.equal('60');
  });

  it('leaves out events without a version', () => {
    const batch = [event('MODIFIED', '55'), event('MODIFIED'), event('MODIFIED', ''), bookmark('')];
    expect(newestVersion(batch, false)).to.equal('55');
    expect(newestVersion([event('MODIFIED')], false)).to.equal('');
    expect(newestVersion([], false)).to.equal('');
  });

  it('begins with the first event that is not ADDED while the stream is unordered', () => {
    expect(newestVersion([event('ADDED', '9'), event('ADDED', '3')], true)).to.equal('');
    expect(newestVersion([event('ADDED', '9'), event('MODIFIED', '10')], true)).to.equal('10');
    expect(newestVersion([event('MODIFIED', '10'), event('ADDED', '11')], true)).to.equal('11');
    expect(newestVersion([event('ADDED', '9'), event('MODIFIED')], true)).to.equal('');
  });
});

describe('applyBatch', () => {
  class BatchSink extends RecordingSink {
    readonly batches: unknown[] = [];

    override apply(events: readonly ObjectEvent<HasMetadata>[]): void {
      this.batches.push(events);
      this.calls.push(`${events.length} events`);
    }
  }

  const play = (batch: readonly Event[]): BatchSink => {
    const sink = new BatchSink();
    applyBatch<HasMetadata>(sink, batch);
    return sink;
  };

  it('hands a batch without bookmarks over as it came', () => {
    const batch = [event('ADDED', '1'), event('MODIFIED', '2')];
    expect(play(batch).batches[0]).to.equal(batch);
  });

  it('keeps the order of changes and bookmarks', () => {
    const batch = [
      bookmark('1'),
      event('ADDED', '2'),
      event('ADDED', '3'),
      bookmark('4'),
      bookmark('5'),
      event('ADDED', '6'),
    ];
    expect(play(batch).calls).to.deep.equal([
      'bookmark @1',
      '2 events',
      'bookmark @4',
      'bookmark @5',
      '1 events',
    ]);
  });

  it('makes no call for nothing, and none for a bookmark without a version', () => {
    expect(play([]).calls).to.deep.equal([]);
    expect(play([bookmark('')]).calls).to.deep.equal([]);
  });
});
