import { expect } from 'chai';
import { informerMetrics } from '../../../../lib/cache/informer/observe/informer-metrics.ts';
import type { MetricLabels } from '../../../../lib/kernel/report/metrics.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { badRequest, tooManyRequests } from '../../../../lib/meta/failure/failures.ts';
import { Dice } from '../../../soak/dice.ts';
import { Between } from '../../support/between.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

const EVERY_MS = 60_000;
/** With its jitter, its second look and their waits, one audit has ended by then. */
const ONE_AUDIT_MS = 70_000;
const PODS = ['a', 'b', 'c', 'd', 'e'];

interface Rig {
  readonly harness: Harness;
  readonly between: Between<Pod>;
  readonly counts: Map<string, number>;
}

async function started(options: HarnessOptions = {}): Promise<Rig> {
  const between = new Between<Pod>();
  const counts = new Map<string, number>();
  const harness = new Harness({
    objects: PODS.map((name) => pod(name)),
    listerWatcher: between,
    watchList: false,
    silenceProbeMs: 0,
    auditIntervalMs: EVERY_MS,
    metrics: {
      gauge: () => {},
      observe: () => {},
      count: (name: string, by = 1, { kind, result }: MetricLabels = {}) => {
        const series = `${name} ${kind ?? result ?? ''}`.trim();
        counts.set(series, (counts.get(series) ?? 0) + by);
      },
    },
    ...options,
  });
  between.source = harness.source;
  await harness.start();
  return { harness, between, counts };
}

/** The last audit, without its age. */
function lastAudit({ harness }: Rig): object | undefined {
  const { ageMs, ...last } = harness.informer.inspect().lastAudit ?? {};
  return ageMs === undefined ? undefined : last;
}

const SEEDS = 30;

const FOUND_NOTHING = { missing: 0, stale: 0, leftOver: 0 };
const { audits, missedChanges } = informerMetrics;

describe('the audit of an informer at intervals', () => {
  it('finds nothing in a cache that equals its server', async () => {
    const rig = await started();
    expect(lastAudit(rig)).to.equal(undefined);
    await rig.harness.runtime.advance(ONE_AUDIT_MS);
    expect(lastAudit(rig)).to.deep.equal({ resourceVersion: '5', objects: 5, ...FOUND_NOTHING });
    expect(rig.counts.get(`${audits.name} consistent`)).to.equal(1);
    expect(rig.harness.warnings).to.deep.equal([]);
    await rig.harness.stop();
  });

  it('counts and logs the changes that the watch has not brought', async () => {
    const rig = await started();
    const { harness, between, counts } = rig;
    between.hide = ({ object }) => object.metadata.name !== 'later';
    harness.source.delete({ namespace: 'shop', name: 'a' });
    harness.source.modify(pod('b', { labels: { x: 'y' } }));
    harness.source.add(pod('f'));
    harness.source.add(pod('later'));
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(lastAudit(rig)).to.deep.equal({
      resourceVersion: '9',
      objects: 6,
      missing: 1,
      stale: 1,
      leftOver: 1,
    });
    expect(counts.get(`${audits.name} inconsistent`)).to.equal(1);
    for (const kind of ['missing', 'stale', 'left-over']) {
      expect(counts.get(`${missedChanges.name} ${kind}`), kind).to.equal(1);
    }
    const lines = harness.warnings.map((line) => line.replace(/^.*missed a change /, ''));
    expect(lines.toSorted()).to.deep.equal([
      '(informer=pods key=shop/a kind=left-over resourceVersion=9)',
      '(informer=pods key=shop/b kind=stale resourceVersion=9)',
      '(informer=pods key=shop/f kind=missing resourceVersion=9)',
    ]);
    await harness.stop();
  });

  it('names the first hundred findings, and counts the first thousand', async () => {
    const rig = await started();
    const { harness, between } = rig;
    between.hide = ({ object }) => object.metadata.name !== 'later';
    for (let index = 0; index < 1200; index += 1) harness.source.add(pod(`p${index}`));
    harness.source.add(pod('later'));
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(lastAudit(rig)).to.include({ objects: 1206, missing: 1000 });
    expect(harness.warnings).to.have.length(101);
    expect(harness.warnings.at(-1)).to.match(/more changes .*others=900/);
    await harness.stop();
  });

  it('waits until the cache has reached the list, and takes what is on its way for no finding', async () => {
    const rig = await started();
    const { harness } = rig;
    await harness.runtime.advance(EVERY_MS / 2);
    harness.source.pause();
    harness.source.add(pod('f'));
    harness.source.modify(pod('b', { labels: { x: 'y' } }));
    harness.source.delete({ namespace: 'shop', name: 'a' });
    await harness.runtime.advance(EVERY_MS);
    expect(lastAudit(rig), 'it waits').to.equal(undefined);
    harness.source.resume();
    await harness.runtime.advance(5000);
    expect(lastAudit(rig)).to.deep.equal({ resourceVersion: '8', objects: 5, ...FOUND_NOTHING });
    await harness.stop();
  });

  it('takes an object that was deleted after the list for no finding, nor one that came or changed', async () => {
    const rig = await started();
    const { harness, between } = rig;
    const { source } = harness;
    let lists = 0;
    between.answer = (request) => {
      if (request.limit !== 500) return undefined;
      lists += 1;
      const page = source.list(request);
      if (lists > 1) return page;
      return page.then(async (items) => {
        source.delete({ namespace: 'shop', name: 'a' });
        source.modify(pod('b', { labels: { x: 'y' } }));
        source.delete({ namespace: 'shop', name: 'c' });
        source.add(pod('c'));
        source.add(pod('f'));
        // The audit gets the page when the cache has gone on.
        await sleep(harness.runtime, 100);
        return items;
      });
    };
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(lists, 'it looked again').to.equal(2);
    expect(lastAudit(rig)).to.deep.include(FOUND_NOTHING);
    await harness.stop();
  });

  it('reports an audit that failed, and goes on', async () => {
    const rig = await started();
    const { harness, counts } = rig;
    harness.source.failNext('list', tooManyRequests('busy', 1));
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(counts.get(`${audits.name} failed`)).to.equal(1);
    expect(harness.errors.map(({ context }) => context.source)).to.deep.equal(['audit']);
    expect(lastAudit(rig)).to.equal(undefined);
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(lastAudit(rig)).to.deep.include(FOUND_NOTHING);
    await harness.stop();
  });

  it('fails when the cache does not reach the list, and says so', async () => {
    const rig = await started();
    const { harness } = rig;
    harness.source.pause();
    harness.source.add(pod('f'));
    await harness.runtime.advance(ONE_AUDIT_MS + 120_000);
    const [reported] = harness.errors;
    expect(reported?.error.code).to.equal('TIMEOUT');
    expect(reported?.error.message).to.include(
      'the cache of pods to reach resource version 6, that of the list of an audit',
    );
    await harness.stop();
  });

  it('lists nothing more after the end of the informer', async () => {
    const { harness } = await started();
    await harness.runtime.advance(ONE_AUDIT_MS);
    await harness.stop();
    const before = harness.source.requests.length;
    await harness.runtime.advance(10 * EVERY_MS);
    expect(harness.source.requests.length).to.equal(before);
  });

  it('refuses an interval that is too short, and several namespaces', () => {
    expect(codeOf(() => new Harness({ auditIntervalMs: 9999 }))).to.equal('INVALID_OPTION');
    expect(codeOf(() => new Harness({ stalenessIntervalMs: 999 }))).to.equal('INVALID_OPTION');
    const several = { namespaces: ['shop'], inNamespace: () => new Between<Pod>() };
    expect(codeOf(() => new Harness({ ...several, auditIntervalMs: EVERY_MS }))).to.equal(
      'INVALID_OPTION',
    );
  });

  it('gives up a list whose versions cannot be compared', async () => {
    const rig = await started();
    const { harness, between } = rig;
    between.answer = () => Promise.resolve({ items: [], resourceVersion: '' });
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(harness.errors.map(({ error }) => error.code)).to.deep.equal([
      'INVALID_RESOURCE_VERSION',
    ]);
    between.answer = () => Promise.reject(badRequest('no lists today'));
    await harness.runtime.advance(ONE_AUDIT_MS);
    expect(rig.counts.get(`${audits.name} failed`)).to.equal(2);
    await harness.stop();
  });
});

/** A source of many random changes. */
function writer({ source }: Harness, dice: Dice): () => void {
  const names = Array.from({ length: 700 }, (_, index) => `n${index}`);
  const present = new Set<string>();
  return () => {
    const name = dice.pick(names);
    if (!present.has(name)) {
      source.add(pod(name));
      present.add(name);
    } else if (dice.chance(0.4)) {
      source.delete({ namespace: 'shop', name });
      present.delete(name);
    } else {
      source.modify(pod(name, { labels: { roll: `${dice.int(0, 9)}` } }));
    }
  };
}

/**
 * A busy collection over a slow and broken network, with about ten audits. With `loses`, the watch keeps three events from the cache, and the
 * collection is not listed again afterwards.
 */
async function busyCollection(seed: number, loses: boolean): Promise<Rig> {
  const dice = new Dice(`audit ${seed}`);
  const runtime = new VirtualRuntime({ seed, order: 'random' });
  const rig = await started({ runtime, auditIntervalMs: 10_000 });
  const { source } = rig.harness;
  const lost = ['shop/d', 'shop/e', 'shop/lost'];
  rig.between.hide = ({ object: { metadata } }) =>
    loses && lost.includes(`${metadata.namespace}/${metadata.name}`);
  source.latencyMs = dice.int(0, 200);
  const write = writer(rig.harness, dice);
  for (let index = 0; index < 800; index += 1) write();
  for (let step = 0; step < 300; step += 1) {
    for (let count = dice.int(0, 5); count > 0; count -= 1) write();
    if (step === 100) {
      source.delete({ namespace: 'shop', name: 'd' });
      source.modify(pod('e', { labels: { x: 'y' } }));
      source.add(pod('lost'));
    }
    if (dice.chance(0.1)) source.pause();
    if (dice.chance(0.2)) source.resume();
    if (dice.chance(0.1)) source.bookmark();
    if (dice.chance(0.02)) source.dropConnections();
    if (!loses && dice.chance(0.02)) source.compact();
    await runtime.advance(dice.int(0, 600));
  }
  source.resume();
  for (let last = 0; last < 3; last += 1) {
    source.modify(pod('a', { labels: { last: `${last}` } }));
    await runtime.advance(15_000);
  }
  await rig.harness.stop();
  return rig;
}

describe('the audit of a busy informer', () => {
  it('finds nothing in a healthy cache, over many seeds', async function () {
    this.timeout(0);
    let compared = 0;
    let relists = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { harness, counts } = await busyCollection(seed, false);
      compared += counts.get(`${audits.name} consistent`) ?? 0;
      relists += harness.informer.inspect().relists;
      expect(harness.warnings, `seed ${seed}`).to.deep.equal([]);
      expect(counts.get(`${audits.name} inconsistent`), `seed ${seed}`).to.equal(undefined);
    }
    expect(compared / SEEDS, 'audits that compared').to.be.greaterThan(4);
    expect(relists, 'relists are part of the story').to.be.greaterThan(0);
  });

  it('finds what the watch has dropped, and nothing else, over many seeds', async function () {
    this.timeout(0);
    for (let seed = 1; seed <= SEEDS / 3; seed += 1) {
      const { harness } = await busyCollection(seed, true);
      const found = harness.warnings.flatMap((line) => /key=\S+ kind=\S+/.exec(line) ?? []);
      expect([...new Set(found)].toSorted(), `seed ${seed}`).to.deep.equal([
        'key=shop/d kind=left-over',
        'key=shop/e kind=stale',
        'key=shop/lost kind=missing',
      ]);
    }
  });
});
