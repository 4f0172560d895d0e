import { expect } from 'chai';
import type { InspectorSnapshot } from '../../../../lib/inspector/contract/inspector-snapshot.ts';
import { Rates } from '../../../../lib/inspector/page/parts/page-rates.ts';
import { newState, noteSteps } from '../../../../lib/inspector/page/parts/page-state.ts';

const snapshotOf = (atMs: number, done: number, name = 'pages'): InspectorSnapshot => ({
  title: '',
  version: '',
  atMs,
  startedAtMs: 0,
  informers: [],
  queues: [],
  controllers: [
    {
      name,
      phase: 'running',
      sources: [],
      external: [],
      tasks: [],
      queue: {
        name,
        closing: false,
        waiting: { count: 0, keys: [] },
        running: { count: 0, keys: [] },
        delayed: { count: 0, keys: [] },
        failing: { count: 0, keys: [] },
      },
      runs: { done, requeue: 0, gone: 0, cleaned: 0, conflict: 0, failed: 0 },
      history: [],
    },
  ],
  leftOut: 0,
});

const DAY = 2 * 60 * 60 * 24;

describe('the page that is left open for a day', () => {
  it('keeps a minute of its rates', () => {
    const rates = new Rates();
    for (let update = 0; update < DAY; update += 1) rates.note(snapshotOf(update * 500, update));
    expect(rates.line('runs')).to.have.length(119);
    expect(rates.size).to.be.lessThan(1000);
  });

  it('forgets the rates of parts that are gone', () => {
    const rates = new Rates();
    for (let update = 0; update < 5000; update += 1) {
      rates.note(snapshotOf(update * 500, update, `pages-${update}`));
    }
    expect(rates.size).to.be.lessThan(2000);
    expect(rates.perSecond('runs pages-1')).to.equal(0);
  });

  it('keeps the last 60 steps of a key', () => {
    const state = newState(undefined);
    for (let version = 0; version < DAY; version += 1) {
      noteSteps(state, {
        key: 'shop/a',
        atMs: version,
        caches: [{ informer: 'pages', resourceVersion: String(version), deleting: false }],
        queues: [],
        runs: [],
      });
    }
    expect(state.steps).to.have.length(60);
    expect(state.steps[0]?.text).to.equal(`the cache of pages has version ${DAY - 1}`);
  });
});

describe('a rate', () => {
  it('is that of the last three seconds: a thousand keys a second are one number', () => {
    const rates = new Rates();
    for (let update = 0; update < 20; update += 1)
      rates.note(snapshotOf(update * 500, update * 500));
    expect(rates.perSecond('runs')).to.equal(1000);
    expect(rates.line('runs').every((value) => value === 1000)).to.equal(true);
  });

  it('begins anew with a counter that goes back', () => {
    const rates = new Rates();
    rates.note(snapshotOf(0, 500));
    rates.note(snapshotOf(500, 3));
    expect(rates.perSecond('runs')).to.equal(0);
  });
});
