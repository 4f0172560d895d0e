import { expect } from 'chai';
import {
  ReconcileHistory,
  type ReconcileRecord,
} from '../../../../lib/controller/builder/run/reconcile-history.ts';

const record = (result: ReconcileRecord['result']): ReconcileRecord => ({
  key: 'shop/a',
  startedAtMs: 0,
  durationMs: 1,
  result,
  error: undefined,
  reasons: [],
});

describe('the history of a controller', () => {
  it('counts every run by its result, and keeps the last ones', () => {
    const history = new ReconcileHistory(2);
    for (const result of ['done', 'failed', 'done', 'requeue'] as const)
      history.add(record(result));
    expect(history.counts).to.deep.equal({
      done: 2,
      requeue: 1,
      gone: 0,
      cleaned: 0,
      conflict: 0,
      failed: 1,
    });
    expect(history.list().map(({ result }) => result)).to.deep.equal(['done', 'requeue']);
  });

  it('counts runs also where none is kept', () => {
    const history = new ReconcileHistory(0);
    history.add(record('gone'));
    expect(history.counts.gone).to.equal(1);
    expect(history.list()).to.deep.equal([]);
  });
});
