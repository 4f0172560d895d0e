import { expect } from 'chai';
import { reasonOf } from '../../../../lib/controller/change/reconcile-reasons.ts';
import type { ReconcileRecord } from '../../../../lib/controller/builder/run/reconcile-history.ts';
import { groupName, groupRuns } from '../../../../lib/inspector/page/views/run-groups.ts';

type Result = ReconcileRecord['result'];

const run = (
  key: string,
  startedAtMs: number,
  result: Result,
  why: 'retry' | 'enqueued' = 'enqueued',
): ReconcileRecord => ({
  key,
  startedAtMs,
  durationMs: 1,
  result,
  error: undefined,
  reasons: [reasonOf(why)],
});

const shown = (runs: readonly ReconcileRecord[]): string[] =>
  groupRuns(runs).map((group) =>
    group.map(({ key, startedAtMs, result }) => `${key} ${startedAtMs} ${result}`).join(', '),
  );

describe('groupRuns', () => {
  it('puts the retries of a key into one group, up to the run that succeeds, the latest group first', () => {
    const runs = [
      run('a', 1, 'failed'),
      run('b', 2, 'done'),
      run('a', 3, 'conflict', 'retry'),
      run('c', 4, 'failed'),
      run('a', 5, 'done', 'retry'),
      run('c', 6, 'failed', 'retry'),
      run('d', 7, 'done'),
    ];
    expect(shown(runs)).to.deep.equal([
      'd 7 done',
      'c 6 failed, c 4 failed',
      'a 5 done, a 3 conflict, a 1 failed',
      'b 2 done',
    ]);
  });

  it('begins a group with a run that has a cause of its own, also after a failure', () => {
    const runs = [run('a', 1, 'failed'), run('a', 2, 'failed'), run('a', 3, 'failed', 'retry')];
    expect(shown(runs)).to.deep.equal(['a 3 failed, a 2 failed', 'a 1 failed']);
  });

  it('names a group by its first run, and apart from that of another controller at the same time', () => {
    const [group] = groupRuns([run('a', 1, 'failed'), run('a', 3, 'failed', 'retry')]);
    expect(group && groupName(group, 'pages')).to.equal('1 pages');
    expect(group && groupName(group, 'sites')).to.equal('1 sites');
  });

  it('keeps a retry whose first run is forgotten as a group', () => {
    expect(shown([run('a', 1, 'failed', 'retry'), run('a', 2, 'done', 'retry')])).to.deep.equal([
      'a 2 done, a 1 failed',
    ]);
    expect(shown([run('a', 1, 'done', 'retry'), run('a', 2, 'done', 'retry')])).to.deep.equal([
      'a 2 done',
      'a 1 done',
    ]);
  });
});
