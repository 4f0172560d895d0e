import { expect } from 'chai';
import type {
  AuditOptions,
  AuditReport,
} from '../../../../lib/cache/informer/audit/audit-report.ts';
import type { ListRequest } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import {
  badRequest,
  expired,
  forbidden,
  tooLargeResourceVersion,
  tooManyRequests,
} from '../../../../lib/meta/failure/failures.ts';
import { Between } from '../../support/between.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { pod, rejection, type Pod } from '../../support/objects.ts';

const PODS = ['a', 'b', 'c', 'd', 'e'];

interface Rig {
  readonly harness: Harness;
  readonly between: Between<Pod>;
  /** Drives time until it has ended. */
  readonly audit: (options?: AuditOptions) => Promise<AuditReport>;
  /** Leaves time alone. */
  readonly begin: (options?: AuditOptions) => Promise<AuditReport>;
  /** The requests of audits alone. */
  readonly exactLists: () => string[];
}

async function started(
  options: HarnessOptions = {},
  between: Between<Pod> = new Between<Pod>(),
): Promise<Rig> {
  const harness = new Harness({
    objects: PODS.map((name) => pod(name)),
    listerWatcher: between,
    watchList: false,
    silenceProbeMs: 0,
    ...options,
  });
  between.source = harness.source;
  await harness.start();
  return {
    harness,
    between,
    begin: (auditOptions) => harness.informer.audit(auditOptions),
    audit: (auditOptions) => harness.runtime.run(harness.informer.audit(auditOptions)),
    exactLists: () =>
      harness.source.requests
        .filter(({ request }) => request.resourceVersionMatch === 'Exact')
        .map(({ request }) => `${request.resourceVersion} limit ${request.limit}`),
  };
}

const nothing = { count: 0, keys: [] };
const found = (...keys: readonly string[]): { count: number; keys: readonly string[] } => ({
  count: keys.length,
  keys,
});

describe('the audit of an informer', () => {
  it('finds a cache consistent that equals the server at its version', async () => {
    const { harness, audit, exactLists } = await started();
    const { durationMs, ...report } = await audit();
    expect(report).to.deep.equal({
      consistent: true,
      resourceVersion: '5',
      objects: 5,
      missing: nothing,
      extra: nothing,
      different: nothing,
      undecided: 0,
      comparison: 'exact',
      attempts: 1,
    });
    expect(durationMs).to.equal(0);
    expect(exactLists()).to.deep.equal(['5 limit 500']);
    await harness.stop();
  });

  it('finds an empty cache consistent with an empty collection', async () => {
    const { harness, audit } = await started({ objects: [] });
    harness.source.skipVersions(3);
    harness.source.bookmark();
    await harness.settle();
    expect(await audit()).to.include({ consistent: true, objects: 0, resourceVersion: '3' });
    await harness.stop();
  });

  it('reads in pages that all show one state, and names the version for the first only', async () => {
    const { harness, audit } = await started();
    const before = harness.source.requests.length;
    expect(await audit({ pageSize: 2 })).to.include({ consistent: true, objects: 5 });
    const requests = harness.source.requests.slice(before).map(({ request }) => request);
    expect(requests.map(({ resourceVersion, limit }) => [resourceVersion, limit])).to.deep.equal([
      ['5', 2],
      [undefined, 2],
      [undefined, 2],
    ]);
    await harness.stop();
  });

  it('finds missing, extra and different objects, even if the watch keeps events back', async () => {
    const { harness, between, audit } = await started();
    between.hide = ({ object }) => object.metadata.name !== 'later';
    harness.source.delete({ namespace: 'shop', name: 'a' });
    harness.source.modify(pod('b', { labels: { x: 'y' } }));
    harness.source.delete({ namespace: 'shop', name: 'c' });
    harness.source.add(pod('c'));
    harness.source.add(pod('f'));
    harness.source.add(pod('later'));
    await harness.settle();
    const report = await audit();
    expect(report.consistent).to.equal(false);
    expect(report.resourceVersion).to.equal('11');
    expect(report.missing).to.deep.include(found('shop/f'));
    expect(report.extra).to.deep.include(found('shop/a'));
    expect(report.different).to.deep.include(found('shop/b', 'shop/c'));
    expect(report.attempts, 'looked twice').to.equal(2);
    await harness.stop();
  });

  it('counts everything and names the first hundred', async () => {
    const { harness, between, audit } = await started();
    between.hide = ({ object }) => object.metadata.name !== 'later';
    for (let index = 0; index < 250; index += 1) harness.source.add(pod(`p${index}`));
    harness.source.add(pod('later'));
    await harness.settle();
    const { missing } = await audit();
    expect(missing.count).to.equal(250);
    expect(missing.keys).to.have.length(100);
    await harness.stop();
  });

  it('compares one state, despite changes while it reads', async () => {
    const { harness, audit } = await started();
    const { source, runtime } = harness;
    source.latencyMs = 7;
    const present = new Set<string>();
    let running = true;
    const flow = (round: number): void => {
      if (!running) return;
      for (let index = 0; index < 20; index += 1) {
        const name = `flow-${(round * 20 + index) % 200}`;
        if (!present.has(name)) {
          source.add(pod(name));
          present.add(name);
        } else if (index % 3 === 0) {
          source.delete({ namespace: 'shop', name });
          present.delete(name);
        } else {
          source.modify(pod(name, { labels: { round: `${round}` } }));
        }
      }
      runtime.setTimer(1, () => flow(round + 1));
    };
    flow(0);
    for (let audits = 0; audits < 5; audits += 1) {
      const report = await audit({ pageSize: 10 });
      expect(report, JSON.stringify(report)).to.include({ consistent: true, attempts: 1 });
      await runtime.advance(50);
    }
    running = false;
    await harness.stop();
  });

  it('is not misled by own writes that the cache shows already', async () => {
    const { harness, audit } = await started();
    harness.source.pause();
    harness.informer.written(harness.source.add(pod('mine')));
    expect(harness.informer.indexer.has('shop/mine')).to.equal(true);
    expect(await audit()).to.include({ consistent: true, objects: 5 });
    harness.source.resume();
    await harness.stop();
  });

  it('looks twice, so that changes of one version that are halfway in are no finding', async () => {
    const { harness, between, audit } = await started();
    between.hide = ({ object }) => object.metadata.name === 'b';
    harness.source.modify(pod('b'));
    harness.source.modify(pod('a'));
    await harness.settle();
    harness.runtime.setTimer(100, () => {
      between.hide = () => false;
      harness.source.modify(pod('b'));
    });
    expect(await audit()).to.include({ consistent: true, attempts: 2, resourceVersion: '8' });
    await harness.stop();
  });

  it('lets other tasks run between two pages', async () => {
    const { harness, begin } = await started();
    const { runtime } = harness;
    let turns = 0;
    let ended = false;
    const other = (): void => {
      turns += 1;
      if (!ended) runtime.queueTask(other);
    };
    runtime.queueTask(other);
    const audit = begin({ pageSize: 1 }).finally(() => {
      ended = true;
    });
    expect(await runtime.run(audit)).to.include({ consistent: true });
    expect(turns).to.be.at.least(4);
    await harness.stop();
  });

  it('waits for the first list of the informer', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const report = harness.informer.audit();
    await Promise.resolve();
    harness.launch();
    expect(await harness.runtime.run(report)).to.include({ consistent: true, objects: 1 });
    await harness.stop();
  });

  it('fails at once when the informer has not been started', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const error = await harness.runtime.run(rejection(harness.informer.audit()));
    expect(error.code).to.equal('NOT_STARTED');
    await harness.stop();
  });

  it('does not change the informer, and calls no handler', async () => {
    const { harness, audit } = await started();
    const events: string[] = [];
    harness.informer.events.on('transition', () => events.push('transition'));
    harness.informer.events.on('relist', () => events.push('relist'));
    const before = harness.informer.inspect();
    await audit();
    expect(harness.informer.inspect()).to.deep.equal(before);
    expect(events).to.deep.equal([]);
    expect(harness.errors).to.deep.equal([]);
    await harness.stop();
  });

  describe('tries again', () => {
    it('at a newer version when history is gone', async () => {
      const { harness, begin, exactLists } = await started();
      harness.source.skipVersions(10);
      harness.source.compact();
      const report = begin();
      await harness.runtime.advance(30_000);
      expect(exactLists(), 'nothing to try before the cache has moved on').to.have.length(1);
      harness.source.bookmark();
      expect(await report).to.include({ consistent: true, resourceVersion: '15', attempts: 2 });
      expect(exactLists()).to.deep.equal(['5 limit 500', '15 limit 500']);
      await harness.stop();
    });

    it('when a later page expires', async () => {
      const { harness, audit } = await started();
      harness.source.failNext('page', expired('gone'));
      harness.runtime.setTimer(100, () => harness.source.add(pod('f')));
      const report = await audit({ pageSize: 2 });
      expect(report).to.include({ consistent: true, resourceVersion: '6', attempts: 2 });
      await harness.stop();
    });

    it('after a pause when the server is behind, busy or away', async () => {
      const failures = [
        tooLargeResourceVersion('5', '4'),
        tooManyRequests('busy', 7),
        Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      ];
      const { harness, audit } = await started();
      for (const error of failures) harness.source.failNext('list', error);
      const report = await audit();
      expect(report).to.include({ consistent: true, attempts: 4 });
      expect(report.durationMs).to.equal(1000 + 7000 + 1000);
      await harness.stop();
    });

    it('until its deadline, and says what it waits for', async () => {
      const { harness, audit } = await started();
      harness.source.skipVersions(1);
      harness.source.compact();
      const error = await rejection(audit({ timeoutMs: 5000 }));
      expect(error.code).to.equal('TIMEOUT');
      expect(error.message).to.match(
        /^gave up after 5000 ms waiting for the audit of pods: the cache to move on from resource version 5, since history is gone \(too old/,
      );
      harness.source.hangNext('list');
      const hanging = await rejection(audit({ timeoutMs: 5000 }));
      expect(hanging.message).to.include('a page of the list at 5, after 0 objects');
      expect(harness.runtime.pending).to.be.at.most(1);
      await harness.stop();
    });
  });

  describe('of a server that does not list past states', () => {
    const refusing = ({ resourceVersionMatch }: ListRequest): Promise<never> | undefined =>
      resourceVersionMatch === 'Exact'
        ? Promise.reject(badRequest('resourceVersionMatch is unknown'))
        : undefined;

    it('compares its present state with the cache before and after it, and says so', async () => {
      const { harness, between, audit } = await started();
      between.answer = refusing;
      const report = await audit({ pageSize: 2 });
      expect(report).to.include({
        consistent: true,
        comparison: 'bracketed',
        undecided: 0,
        objects: 5,
        note: 'the server does not list at an exact resource version: resourceVersionMatch is unknown',
      });
      await harness.stop();
    });

    it('notices a server that answers with another version than it was asked for', async () => {
      const { harness, between, begin } = await started();
      harness.source.skipVersions(1);
      between.answer = ({ limit, continueToken }) => harness.source.list({ limit, continueToken });
      const report = begin();
      await harness.runtime.advance(100);
      harness.source.bookmark();
      expect(await report).to.include({
        consistent: true,
        comparison: 'bracketed',
        note: 'asked for exactly resource version 5, the server listed 6',
      });
      await harness.stop();
    });

    it('waits until the cache has passed the list, and leaves out what changed meanwhile', async () => {
      const { harness, between, begin } = await started();
      between.answer = (request) => {
        if (request.resourceVersionMatch === undefined) {
          harness.source.modify(pod('a', { labels: { round: '1' } }));
          harness.source.add(pod('passing'));
          harness.source.delete({ namespace: 'shop', name: 'b' });
        }
        return refusing(request);
      };
      harness.source.pause();
      const report = begin();
      await harness.runtime.advance(100);
      harness.source.delete({ namespace: 'shop', name: 'passing' });
      harness.source.resume();
      expect(await report).to.include({ consistent: true, undecided: 3, resourceVersion: '8' });
      await harness.stop();
    });

    it('finds what is missing, extra and different all the same', async () => {
      const { harness, between, audit } = await started();
      between.hide = ({ object }) => object.metadata.name !== 'later';
      between.answer = refusing;
      harness.source.delete({ namespace: 'shop', name: 'a' });
      harness.source.modify(pod('b', { labels: { x: 'y' } }));
      harness.source.add(pod('f'));
      harness.source.add(pod('later'));
      await harness.settle();
      const report = await audit();
      expect(report.missing).to.deep.include(found('shop/f'));
      expect(report.extra).to.deep.include(found('shop/a'));
      expect(report.different).to.deep.include(found('shop/b'));
      expect(report).to.include({ consistent: false, undecided: 0, attempts: 3 });
      await harness.stop();
    });
  });

  describe('with deep', () => {
    it('finds an object that was modified in the cache', async () => {
      // A server sends another copy each time.
      const between = new Between<Pod>();
      between.answer = async (request) => {
        const page = await between.source.list(request);
        const items = page.items.map(({ object }) => {
          const copy = structuredClone(object);
          return { metadata: copy.metadata, object: copy };
        });
        return { ...page, items };
      };
      const { harness, audit } = await started({ freeze: false }, between);
      expect(await audit({ deep: true })).to.include({ consistent: true });
      const cached = harness.informer.indexer.get('shop/b') as { spec?: object };
      cached.spec = { nodeName: 'elsewhere' };
      expect(await audit()).to.include({ consistent: true });
      const report = await audit({ deep: true });
      expect(report.consistent).to.equal(false);
      expect(report.different).to.deep.include(found('shop/b'));
      await harness.stop();
    });

    it('needs objects as the server sent them', async () => {
      const { harness, audit } = await started({ transform: (object) => ({ ...object }) });
      const error = await rejection(audit({ deep: true }));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.include('transform');
      expect(await audit()).to.include({ consistent: true });
      await harness.stop();
    });
  });

  it('goes by the keys of the informer', async () => {
    const { harness, between, audit } = await started({
      keyFunc: ({ metadata }) => {
        if (metadata?.name === 'e') throw new Error('no key for e');
        return `uid:${metadata?.uid}`;
      },
    });
    between.hide = () => true;
    const report = await audit();
    expect(report.missing).to.deep.include(found('e'));
    expect(report.extra).to.deep.include(nothing);
    await harness.stop();
  });

  it('hands on what the server refuses the list with', async () => {
    const { harness, audit } = await started();
    const error = forbidden({ group: '', resource: 'pods' }, '', 'no');
    harness.source.failNext('list', error);
    expect(await rejection(audit())).to.equal(error);
    await harness.stop();
  });

  it('ends with its signal, and with the informer', async () => {
    const { harness, begin } = await started();
    const stopper = new AbortController();
    const reason = new Error('enough');
    harness.source.hangNext('list', 2);
    const aborted = rejection(begin({ signal: stopper.signal }));
    await harness.settle();
    stopper.abort(reason);
    expect(await aborted).to.equal(reason);
    expect(await rejection(begin({ signal: stopper.signal }))).to.equal(reason);

    const stopped = rejection(begin());
    await harness.settle();
    await harness.stop();
    expect((await stopped).code).to.equal('CLOSED');
    expect((await rejection(begin())).code).to.equal('CLOSED');
    expect(harness.runtime.pending).to.equal(0);
  });

  it('refuses options that make no sense, and a cache that is at no version', async () => {
    const { harness, audit } = await started();
    for (const wrong of [
      { timeoutMs: 0 },
      { pageSize: 0 },
      { pageSize: 1.5 },
      { dep: true } as object,
    ]) {
      expect((await rejection(audit(wrong))).code).to.equal('INVALID_OPTION');
    }
    await harness.stop();
    const unordered = await started({ order: 'key' });
    const error = await rejection(unordered.audit());
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.include('audit of pods').and.to.include('order of keys');
    await unordered.harness.stop();
  });
});
