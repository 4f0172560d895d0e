import { expect } from 'chai';
import type { InformerInspection } from '../../../../lib/cache/informer/observe/informer-inspection.ts';
import type { ControllerInspection } from '../../../../lib/controller/builder/controller-inspection.ts';
import type { InspectorSnapshot } from '../../../../lib/inspector/contract/inspector-snapshot.ts';
import { findingsOf } from '../../../../lib/inspector/page/parts/page-findings.ts';

const informer: InformerInspection = {
  name: 'pods',
  phase: 'running',
  synced: true,
  reflector: 'watching',
  connected: true,
  lastSyncResourceVersion: '7',
  storeResourceVersion: '7',
  objects: 1,
  bytes: 10,
  indexes: [],
  queued: 0,
  lagMs: 0,
  listed: 0,
  lastEventAgeMs: 10,
  eventsApplied: 1,
  ownWrites: 0,
  memory: { mode: 'bytes', liveBytes: 0, slabBytes: 0, decodedBytes: 0, retention: 'nothing' },
  staleEvents: 0,
  relists: 0,
  watchAgeMs: 10,
  watchingShare: 1,
  handlers: [],
};

const controller: ControllerInspection = {
  name: 'sites',
  phase: 'running',
  sources: [],
  external: [],
  tasks: [],
  queue: {
    name: 'sites',
    closing: false,
    waiting: { count: 0, keys: [] },
    running: { count: 0, keys: [] },
    delayed: { count: 0, keys: [] },
    failing: { count: 0, keys: [] },
  },
  runs: { done: 0, requeue: 0, gone: 0, cleaned: 0, conflict: 0, failed: 0 },
  history: [],
};

function texts(parts: Partial<InspectorSnapshot>): string[] {
  const base = { title: '', version: '', atMs: 0, startedAtMs: 0, leftOut: 0 };
  return findingsOf({ ...base, informers: [], queues: [], controllers: [], ...parts }).map(
    ({ level, where, text }) => `${level} ${where}: ${text}`,
  );
}

const ofInformer = (more: Partial<InformerInspection>): string[] =>
  texts({ informers: [{ ...informer, ...more }] });
const ofController = (more: Partial<ControllerInspection>): string[] =>
  texts({ controllers: [{ ...controller, ...more }] });
const ofQueue = (more: Partial<ControllerInspection['queue']>): string[] =>
  ofController({ queue: { ...controller.queue, ...more } });

describe('what needs attention', () => {
  it('say that a cache is behind its server, and that it has missed changes', () => {
    const checked = { resourceVersion: '7', objects: 3, missing: 0, stale: 0, leftOver: 0 };
    expect(ofInformer({ staleness: { revisions: 9, ms: 59_000 } })).to.deep.equal([]);
    expect(ofInformer({ lastAudit: { ...checked, ageMs: 5000 } })).to.deep.equal([]);
    const staleness = { revisions: 9, ms: 61_000 };
    const lastAudit = { ...checked, ageMs: 5000, missing: 2, leftOver: 1 };
    const [problem, warning] = ofInformer({ staleness, lastAudit });
    expect(problem).to.match(/^problem pods: .* missed changes of 3 objects, as an audit found 5/);
    expect(warning).to.match(/^warning pods: .* 9 revisions behind the server/);
  });

  it('is nothing in a program that works', () => {
    expect(texts({ informers: [informer], controllers: [controller] })).to.deep.equal([]);
  });

  it('is an informer without a watch, with the last error', () => {
    const lastError = { message: 'reflector pods: nothing listens; it lists in 800 ms.', ageMs: 5 };
    const down = { connected: false, reflector: 'backing-off', lastError } as const;
    expect(ofInformer(down)).to.deep.equal([
      'problem pods: No watch is open: reflector pods: nothing listens; it lists in 800 ms.',
    ]);
  });

  it('is an informer that was not started, reads its first list, or has stopped', () => {
    const before = { connected: false, synced: false } as const;
    expect(ofInformer({ ...before, phase: 'new' })).to.match(/^warning pods: .*call start\(\)/);
    expect(ofInformer({ ...before, reflector: 'listing', listed: 1200 })).to.deep.equal([
      'note pods: It reads its first list: 1,200 objects so far.',
    ]);
    expect(
      ofInformer({ ...before, phase: 'failed', waitingFor: 'no such resource' }),
    ).to.deep.equal(['problem pods: It has stopped for good: no such resource']);
  });

  it('is a watch that is open and silent', () => {
    expect(ofInformer({ lastEventAgeMs: 300_000 })[0]).to.match(
      /^warning pods: Its watch is open, but brought no event and no bookmark for 5 m\./,
    );
  });

  it('is a slow handler, one that throws, and a store that lags', () => {
    const handler = {
      name: 'index',
      synced: true,
      delivered: 5,
      coalesced: 0,
      resyncIntervalMs: 0,
    };
    expect(ofInformer({ handlers: [{ ...handler, pending: 12_345, failed: 2 }] })).to.deep.equal([
      'warning pods: The handler index is 12,345 events behind: its callbacks are slow.',
      'warning pods: Callbacks of the handler index threw 2 times.',
    ]);
    expect(ofInformer({ lagMs: 2500, queued: 40 })).to.deep.equal([
      'warning pods: 40 changes wait for the store, the oldest for 2.5 s.',
    ]);
  });

  it('is a controller that waits for a list, or is paused', () => {
    const source = {
      resource: 'v1/pods',
      role: 'own',
      synced: false,
      waitingFor: 'the first list of pods (listing)',
    } as unknown as ControllerInspection['sources'][number];
    expect(ofController({ phase: 'syncing', sources: [source] })).to.deep.equal([
      'warning sites: No reconcile begins before its first lists are read. It waits for the first list of pods (listing).',
    ]);
    expect(ofController({ phase: 'paused' })).to.deep.equal([
      'warning sites: It is paused: call resume().',
    ]);
  });

  it('is a key that fails, with its reason and its next run', () => {
    const failing = {
      count: 2,
      keys: [{ key: 'shop/a', failures: 4, reason: 'no title', failedMs: 10 }],
    };
    const delayed = {
      count: 1,
      keys: [{ key: 'shop/a', priority: 0, inMs: 8000, why: 'retry' as const }],
    };
    expect(ofQueue({ failing, delayed })).to.deep.equal([
      'problem sites: 2 keys fail. The latest is shop/a, 4 times in a row: no title. It runs again in 8.0 s.',
    ]);
  });

  it('is a key that is long in work, and the keys that wait for it', () => {
    const running = {
      count: 1,
      keys: [{ key: 'shop/a', priority: 0, runningMs: 65_000, addedAgain: false }],
    };
    const waiting = { count: 3, keys: [{ key: 'shop/b', priority: 0, waitedMs: 61_000 }] };
    expect(ofQueue({ running, waiting })).to.deep.equal([
      'warning sites: shop/a has been in work for 1 m 5 s.',
      'warning sites: 3 keys wait, shop/b for 1 m 1 s: 1 key is in work.',
    ]);
  });

  it('begins with the gravest', () => {
    const waiting = { ...informer, name: 'b', connected: false, synced: false };
    const down = { ...waiting, name: 'a', reflector: 'backing-off' as const };
    expect(texts({ informers: [waiting, down] }).map((text) => text.split(' ')[0])).to.deep.equal([
      'problem',
      'note',
    ]);
  });
});
