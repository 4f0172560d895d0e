import { expect } from 'chai';
import {
  reasonOf,
  type ReconcileReason,
} from '../../../lib/controller/change/reconcile-reasons.ts';
import type { ReconcileRecord } from '../../../lib/controller/builder/run/reconcile-history.ts';
import { CauseLinks } from '../../../lib/inspector/page/cause-links.ts';

/** A run for a change that a run of another controller wrote, if one is named. */
function run(key: string, startedAtMs: number, writer?: string): ReconcileRecord {
  const [controller = '', of = ''] = writer?.split(' ') ?? [];
  const reason: ReconcileReason = {
    ...reasonOf('updated', 'watched'),
    ...(writer === undefined ? {} : { causedBy: { controller, key: of } }),
  };
  const rest = { durationMs: 1, result: 'done', error: undefined } as const;
  return { key, startedAtMs, ...rest, reasons: [reason] };
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
    expect(links.writerOf(reason as ReconcileReason, pod)).to.deep.equal({
      controller: 'pages',
      run: page,
    });
    expect(links.writerOf(reasonOf('retry'), pod)).to.equal(undefined);
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
});
