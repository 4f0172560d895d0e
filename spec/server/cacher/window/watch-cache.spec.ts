import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { isExpired } from '../../../../lib/meta/failure/failures.ts';
import type { ObjectEvent } from '../../../../lib/meta/watch-event.ts';
import { WatchCache } from '../../../../lib/server/cacher/window/watch-cache.ts';
import type { WatchCacheInterval } from '../../../../lib/server/cacher/window/watch-cache-interval.ts';
import { apiObjectVersioner } from '../../../../lib/server/storage/contract/versioner.ts';
import type { StoredObject } from '../../../../lib/server/storage/contract/stored-object.ts';
import {
  HandMadeObject,
  line,
  pod,
  podKey,
  PREFIX,
  selecting,
  type Pod,
} from '../cacher-harness.ts';

const ALL = { path: PREFIX, recursive: true };

class Stage {
  readonly heard: string[] = [];
  readonly cache: WatchCache<Pod> = new WatchCache<Pod>({
    runtime: new VirtualRuntime(),
    versioner: apiObjectVersioner,
    history: { minCapacity: 4, maxCapacity: 4 },
    listener: {
      onReplace: () => this.heard.push(`replace @${this.cache.revision}`),
      onEvents: (events) => {
        this.heard.push(
          `${events.map(({ revision }) => revision).join()} of ${this.cache.revision}`,
        );
      },
      onProgress: () => this.heard.push(`progress @${this.cache.revision}`),
      waitForRoom: () => undefined,
    },
  });
}

function event(
  type: ObjectEvent<never>['type'],
  name: string,
  revision: number,
): ObjectEvent<StoredObject<Pod>> {
  return { type, object: new HandMadeObject(pod(name), revision) };
}

function read(interval: WatchCacheInterval<Pod>): string[] {
  const events: ObjectEvent<StoredObject<Pod>>[] = [];
  while (interval.read(events, undefined, 1) === 'more');
  return events.map(line);
}

describe('WatchCache', () => {
  it('shows state, history and revision of a whole batch before it calls its listener', () => {
    const { cache, heard } = new Stage();
    cache.replace([new HandMadeObject(pod('a'), 3)], '5');
    cache.apply([event('MODIFIED', 'a', 6), event('ADDED', 'b', 7)]);
    cache.bookmark('9');
    expect(heard).to.deep.equal(['replace @5', '6,7 of 7', 'progress @9']);
    expect(cache.get(podKey('a'))?.resourceVersion).to.equal('6');
    expect(cache.get(podKey('b'))?.resourceVersion).to.equal('7');
    expect(cache.history.size).to.equal(2);
  });

  it('resumes after version 5 with 6, 7 and 8', () => {
    const { cache } = new Stage();
    cache.replace([], '4');
    cache.apply([
      event('ADDED', 'a', 5),
      event('ADDED', 'b', 6),
      event('MODIFIED', 'a', 7),
      event('DELETED', 'b', 8),
    ]);
    expect(read(cache.getAllEventsSince(5n, ALL))).to.deep.equal([
      'ADDED shop/b @6',
      'MODIFIED shop/a @7',
      'DELETED shop/b @8',
    ]);
    expect(read(cache.getAllEventsSince(8n, ALL))).to.deep.equal([]);
    expect(read(cache.getAllEventsSince(99n, ALL))).to.deep.equal([]);
    expect(
      read(cache.getAllEventsSince(4n, { path: podKey('a'), recursive: false })),
    ).to.deep.equal(['ADDED shop/a @5', 'MODIFIED shop/a @7']);
  });

  it('refuses with 410 revisions before the window or the list, and names the oldest one', () => {
    const { cache } = new Stage();
    cache.replace([], '10');
    expect(() => cache.getAllEventsSince(9n, ALL)).to.throw('too old resource version: 9 (10)');
    cache.apply([12, 13, 14, 15, 16].map((revision) => event('ADDED', `p${revision}`, revision)));
    let error: unknown;
    try {
      cache.getAllEventsSince(11n, ALL);
    } catch (caught) {
      error = caught;
    }
    expect(isExpired(error)).to.equal(true);
    expect(String(error)).to.contain('too old resource version: 11 (12)');
    expect(read(cache.getAllEventsSince(12n, ALL))).to.have.length(4);
  });

  it('gives the state as ADDED events with the versions of the objects, in the order of their keys', () => {
    const { cache } = new Stage();
    cache.replace([new HandMadeObject(pod('a'), 9), new HandMadeObject(pod('b'), 3)], '20');
    const interval = cache.getState(ALL);
    cache.apply([event('DELETED', 'a', 21)]);
    expect(interval.revision).to.equal(20n);
    expect(read(interval)).to.deep.equal(['ADDED shop/a @9', 'ADDED shop/b @3']);
    expect(read(cache.getState(ALL))).to.deep.equal(['ADDED shop/b @3']);
  });

  it('knows past states, but none ahead of it', () => {
    const { cache } = new Stage();
    cache.replace([new HandMadeObject(pod('a'), 3)], '5');
    cache.apply([event('DELETED', 'a', 7)]);
    expect([5n, 6n, 7n].map((revision) => cache.stateAt(revision)?.size)).to.deep.equal([1, 1, 0]);
    expect([4n, 8n].map((revision) => cache.stateAt(revision))).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('takes what it knows about an object before a change from itself', () => {
    const { cache } = new Stage();
    cache.replace([], '1');
    const web = {
      type: 'ADDED',
      object: new HandMadeObject(pod('a', { labels: { app: 'web' } }), 2),
    } as const;
    cache.apply([web, event('MODIFIED', 'a', 3)]);
    const events: ObjectEvent<StoredObject<Pod>>[] = [];
    cache.getAllEventsSince(2n, ALL).read(events, selecting('app=web'), 10);
    expect(events.map(line)).to.deep.equal(['DELETED shop/a @3']);
  });

  it('ignores progress that goes back, and refuses events that do', () => {
    const { cache, heard } = new Stage();
    cache.replace([], '5');
    cache.bookmark('5');
    cache.bookmark('4');
    expect(heard).to.deep.equal(['replace @5']);
    expect(() => cache.apply([event('ADDED', 'a', 4)])).to.throw('revision 4');
  });
});
