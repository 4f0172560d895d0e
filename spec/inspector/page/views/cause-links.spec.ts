import { expect } from 'chai';
import {
  reasonOf,
  type ReconcileReason,
} from '../../../../lib/controller/change/reconcile-reasons.ts';
import type { ReconcileRecord } from '../../../../lib/controller/builder/run/reconcile-history.ts';
import { CauseLinks } from '../../../../lib/inspector/page/views/cause-links.ts';

/** A run for changes, each written by the run that is named, such as `sites shop`; for a change of another program if there is none. */
function run(key: string, startedAtMs: number, ...writers: string[]): ReconcileRecord {
  const change = reasonOf('updated', 'watched');
  const written = writers.map((writer): ReconcileReason => {
    const [controller = '', of = ''] = writer.split(' ');
    return { ...change, causedBy: { controller, key: of } };
  });
  const rest = { durationMs: 1, result: 'done', error: undefined } as const;
  return { key, startedAtMs, ...rest, reasons: written.length > 0 ? written : [change] };
}

describe('CauseLinks', () => {
  const site = run('shop', 1);
  const page = run('shop', 2, 'sites shop');
  const later = run('shop', 9);
  const pod = run('web', 3, 'pages shop');
  const links = new CauseLinks([
    { name: 'pods', history: [pod] },
    { name: 'pages', history: [page, later] },
    { name: 'sites', history: [site] },
  ]);

  it('finds the last run of the writer before the run that it has caused', () => {
    const [reason] = pod.reasons;
    const of = { controller: 'pods', run: pod };
    expect(links.writerOf(reason as ReconcileReason, of)).to.deep.equal({
      controller: 'pages',
      run: page,
    });
    expect(links.writerOf(reasonOf('retry'), of)).to.equal(undefined);
  });

  it('finds the runs that a run has caused, up to the next one of its key', () => {
    expect(links.causedBy({ controller: 'pages', run: page })).to.deep.equal([
      { controller: 'pods', run: pod },
    ]);
    expect(links.causedBy({ controller: 'pages', run: later })).to.deep.equal([]);
  });

  it('follows writes back to the first run that is known', () => {
    const chain = links.chainTo({ controller: 'pods', run: pod });
    expect(chain.map(({ controller }) => controller)).to.deep.equal(['sites', 'pages', 'pods']);
  });

  it('ends where writes lead in a circle', () => {
    const one = run('a', 1, 'maps b');
    const two = run('b', 1, 'maps a');
    const circle = new CauseLinks([{ name: 'maps', history: [one, two] }]);
    expect(circle.chainTo({ controller: 'maps', run: two })).to.have.length(2);
  });

  it('has a run once that has several changes of one run as its reasons', () => {
    const both = run('web', 3, 'pages shop', 'pages shop');
    const twice = new CauseLinks([
      { name: 'pods', history: [both] },
      { name: 'pages', history: [page] },
    ]);
    expect(twice.causedBy({ controller: 'pages', run: page })).to.deep.equal([
      { controller: 'pods', run: both },
    ]);
  });

  it('leads from run to run of a key that its own controller writes, also from a copy of a run', () => {
    const [first, second, third] = [run('a', 1), run('a', 5, 'maps a'), run('a', 9, 'maps a')];
    const own = new CauseLinks([{ name: 'maps', history: [first, second, third] }]);
    const copy = { controller: 'maps', run: structuredClone(second) };
    const times = own.chainTo(copy).map(({ run: { startedAtMs } }) => startedAtMs);
    expect(times).to.deep.equal([1, 5]);
    expect(own.causedBy(copy)).to.deep.equal([{ controller: 'maps', run: third }]);
  });
});
