import { expect } from 'chai';
import { forbidden } from '../../../../lib/meta/failure/failures.ts';
import { JsonObjectDecoder } from '../../../../lib/client/rest/decode/object-decoder.ts';
import { ThreadSafeStore } from '../../../../lib/cache/store/thread-safe-store.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import type { InformerInspection } from '../../../../lib/cache/informer/observe/informer-inspection.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod, type Pod } from '../../support/objects.ts';

const refusal = forbidden({ group: '', resource: 'pods' }, '', 'no');

describe('inspect()', () => {
  it('says everything about an informer', async () => {
    const harness = new Harness({ objects: [pod('a')], resyncIntervalMs: 5000 });
    harness.informer.addHandler({ onAdd: () => {} }, { name: 'first' });
    expect(harness.informer.inspect()).to.deep.include({
      phase: 'new',
      reflector: 'idle',
      connected: false,
      waitingFor: 'the first list of pods, which has not been started',
      lastEventAgeMs: undefined,
    });
    await harness.start();
    await harness.runtime.advance(1500);
    expect(harness.informer.inspect()).to.deep.equal({
      name: 'pods',
      phase: 'running',
      synced: true,
      waitingFor: undefined,
      waitingForServer: undefined,
      reflector: 'watching',
      connected: true,
      lastSyncResourceVersion: '1',
      storeResourceVersion: '1',
      objects: 1,
      bytes: 0,
      indexes: ['namespace'],
      queued: 0,
      lagMs: 0,
      listed: 0,
      lastEventAgeMs: 1500,
      eventsApplied: 0,
      ownWrites: 0,
      memory: { mode: 'bytes', liveBytes: 0, slabBytes: 0, decodedBytes: 0, retention: 'body' },
      relists: 0,
      watchAgeMs: 1500,
      watchingShare: 1,
      staleEvents: 0,
      lastError: undefined,
      handlers: [
        {
          name: 'first',
          synced: true,
          pending: 0,
          delivered: 1,
          failed: 0,
          coalesced: 0,
          resyncIntervalMs: 5000,
        },
      ],
    });
    await harness.stop();
    expect(harness.informer.inspect()).to.include({ phase: 'stopped', connected: false });
  });

  it('is plain data', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.informer.addHandler({ onAdd: () => {} }, { buffer: 'unbounded' });
    harness.source.failNext('watch-list', refusal);
    harness.source.failNext('list', refusal);
    await harness.start();
    const inspection = harness.informer.inspect();
    expect(inspection.lastError).to.not.equal(undefined);
    const known = Object.fromEntries(
      Object.entries(inspection).filter(([, value]) => value !== undefined),
    );
    expect(JSON.parse(JSON.stringify(inspection))).to.deep.equal(known);
    await harness.stop();
  });

  it('keeps the last error with its age, and counts lists and events', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    await harness.start();
    harness.source.dropConnections(refusal);
    await harness.settle();
    expect(harness.informer.inspect()).to.include({ connected: false, relists: 0 });
    await harness.runtime.advance(60_000);
    const { lastError } = harness.informer.inspect();
    expect(lastError?.message).to.include('forbidden');
    expect(lastError?.ageMs).to.equal(60_000);
    harness.source.modify(pod('a'));
    harness.source.delete({ namespace: 'shop', name: 'a' });
    const { relists } = harness.informer.inspect();
    await harness.relist(() => harness.source.add(pod('b')));
    expect(harness.informer.inspect()).to.include({
      connected: true,
      waitingForServer: undefined,
      relists: relists + 1,
      eventsApplied: 2,
      objects: 1,
    });
    await harness.stop();
  });

  it('says how long the oldest change has waited for the store', async () => {
    const names = Array.from({ length: 2500 }, (_, index) => `p${index}`);
    const harness = new Harness({ objects: names.map((name) => pod(name)), indexers: { slow } });
    await harness.start();
    function slow(): string[] {
      inspections.push(harness.informer.inspect());
      return [];
    }
    const inspections: InformerInspection[] = [];
    for (const name of names) harness.source.modify(pod(name));
    await harness.settle();
    const queued = new Set(inspections.map((inspection) => inspection.queued));
    expect([...queued]).to.deep.equal([1500, 500, 0]);
    expect(harness.informer.inspect()).to.include({ queued: 0, lagMs: 0, eventsApplied: 2500 });
    await harness.stop();
  });

  it('adds up what the objects took on the wire', () => {
    const store = new ThreadSafeStore<ObjectView<Pod>>();
    const decoder = new JsonObjectDecoder<Pod>();
    const bytes = Buffer.from(JSON.stringify({ type: 'ADDED', object: pod('a') }));
    const event = decoder.decodeEvent({ bytes });
    if (event.type === 'ADDED') store.add('a', event.object);
    expect(store.bytes).to.equal(JSON.stringify(pod('a')).length);
  });
});
