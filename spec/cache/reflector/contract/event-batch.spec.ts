import { expect } from 'chai';
import { applyBatch } from '../../../../lib/cache/reflector/contract/event-batch.ts';
import type { ObjectEvent, WatchEvent } from '../../../../lib/meta/watch-event.ts';
import type { HasMetadata } from '../../../../lib/meta/object.ts';
import { RecordingSink } from '../reflector-support.ts';

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
