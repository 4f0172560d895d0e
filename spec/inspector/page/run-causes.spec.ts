import { expect } from 'chai';
import {
  reasonOf,
  type ReconcileReason,
} from '../../../lib/controller/change/reconcile-reasons.ts';
import type { ReconcileRecord } from '../../../lib/controller/builder/run/reconcile-history.ts';
import { RunCauses } from '../../../lib/inspector/page/run-causes.ts';

const version = (resource: string, object: string, resourceVersion: string) => ({
  resource,
  object,
  resourceVersion,
});

const run = (
  key: string,
  startedAtMs: number,
  reasons: readonly ReturnType<typeof version>[],
  wrote: ReconcileRecord['wrote'] = [],
): ReconcileRecord => ({
  key,
  startedAtMs,
  durationMs: 1,
  result: 'done',
  error: undefined,
  reasons: reasons.map((one): ReconcileReason => ({ type: 'updated', via: 'watched', ...one })),
  wrote,
});

describe('RunCauses', () => {
  const site = run('shop', 1, [version('sites', 'shop', '10')], [version('maps', 'shop', '11')]);
  const page = run('shop', 2, [version('maps', 'shop', '11')], [version('pods', 'web', '12')]);
  const pod = run('web', 3, [version('nodes', 'n', '5'), version('pods', 'web', '12')]);
  const causes = new RunCauses([
    { name: 'pods', history: [pod] },
    { name: 'pages', history: [page] },
    { name: 'sites', history: [site] },
  ]);

  it('finds the run that wrote the version for which another controller ran', () => {
    const [first, second] = pod.reasons;
    expect(causes.writerOf(second as ReconcileReason)).to.deep.equal({
      controller: 'pages',
      run: page,
    });
    expect(causes.writerOf(first as ReconcileReason)).to.equal(undefined);
    expect(causes.writerOf(reasonOf('retry'))).to.equal(undefined);
    expect(causes.causedBy(version('pods', 'web', '12'))).to.deep.equal([
      { controller: 'pods', run: pod },
    ]);
    expect(causes.causedBy(version('pods', 'web', '13'))).to.deep.equal([]);
  });

  it('follows writes back to the first run that is known', () => {
    const chain = causes.chainTo({ controller: 'pods', run: pod });
    expect(
      chain.map(({ controller, reason }) => `${controller} ${reason?.resource}`),
    ).to.deep.equal(['sites sites', 'pages maps', 'pods pods']);
  });

  it('takes the first of two runs for the writer of a version: the second changed nothing', () => {
    const again = run('other', 2, [], [version('maps', 'shop', '11')]);
    const both = new RunCauses([{ name: 'sites', history: [again, site] }]);
    const [reason] = page.reasons;
    expect(both.writerOf(reason as ReconcileReason)?.run).to.equal(site);
  });

  it('ends where writes lead in a circle', () => {
    const one = run('a', 1, [version('maps', 'a', '2')], [version('maps', 'a', '1')]);
    const two = run('a', 2, [version('maps', 'a', '1')], [version('maps', 'a', '2')]);
    const circle = new RunCauses([{ name: 'maps', history: [one, two] }]);
    expect(circle.chainTo({ controller: 'maps', run: two })).to.have.length(2);
  });
});
