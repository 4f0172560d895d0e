import { expect } from 'chai';
import { ResyncSchedule } from '../../../../lib/cache/informer/handlers/resync-schedule.ts';
import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import type { LogFields } from '../../../../lib/kernel/report/logger.ts';
import { codeOf } from '../../support/objects.ts';

function schedule(intervalMs: number): { resyncs: ResyncSchedule; warnings: string[] } {
  const warnings: string[] = [];
  const onWarning = (message: string, fields: LogFields): void => {
    warnings.push(logLine(message, fields).line);
  };
  return { resyncs: new ResyncSchedule({ intervalMs, onWarning }), warnings };
}

describe('ResyncSchedule', () => {
  it('gives handlers the interval of the informer unless they ask for another one', () => {
    const { resyncs } = schedule(10_000);
    expect(resyncs.add('a', undefined, 0).intervalMs).to.equal(10_000);
    expect(resyncs.add('b', 25_000, 0).intervalMs).to.equal(25_000);
    expect(resyncs.add('c', 0, 0).intervalMs).to.equal(0);
  });

  it('shortens the interval of the looks before the start, and handlers keep theirs', () => {
    const { resyncs } = schedule(43_200_000);
    const first = resyncs.add('first', 60_000, 0);
    expect(resyncs.checkIntervalMs).to.equal(60_000);
    const second = resyncs.add('second', 55_000, 0);
    expect(resyncs.checkIntervalMs).to.equal(55_000);
    const third = resyncs.add('third', 5000, 0);
    const never = resyncs.add('never', 0, 0);
    expect(resyncs.checkIntervalMs).to.equal(5000);
    expect([first, second, third, never].map(({ intervalMs }) => intervalMs)).to.deep.equal([
      60_000, 55_000, 5000, 0,
    ]);
  });

  it('does not shorten it after the start, and says so', () => {
    const { resyncs, warnings } = schedule(10_000);
    resyncs.freeze();
    expect(resyncs.add('hasty', 2000, 0).intervalMs).to.equal(10_000);
    expect(resyncs.checkIntervalMs).to.equal(10_000);
    expect(warnings.join()).to.include('hasty').and.include('intervalMs=10000');
  });

  it('never resyncs when the informer has no interval, and says so', () => {
    const { resyncs, warnings } = schedule(0);
    expect(resyncs.add('hopeful', 2000, 0).intervalMs).to.equal(0);
    expect(resyncs.checkIntervalMs).to.equal(0);
    expect(warnings.join()).to.include('hopeful');
    expect(resyncs.tick(1_000_000)).to.equal(false);
  });

  it('takes less than a second for a second', () => {
    const { resyncs } = schedule(5000);
    expect(resyncs.add('hasty', 10, 0).intervalMs).to.equal(1000);
    expect(resyncs.checkIntervalMs).to.equal(1000);
  });

  it('rounds up to a multiple of the interval of the looks', () => {
    const { resyncs } = schedule(5000);
    const seven = resyncs.add('seven', 7000, 0);
    const never = resyncs.add('never', 0, 0);
    const due: number[] = [];
    for (let nowMs = 5000; nowMs <= 30_000; nowMs += 5000) {
      const any = resyncs.tick(nowMs);
      expect(any).to.equal(seven.due);
      if (seven.due) due.push(nowMs);
      expect(never.due).to.equal(false);
    }
    expect(due).to.deep.equal([10_000, 20_000, 30_000]);
  });

  it('is not put off by a timer that fires a little early', () => {
    const { resyncs } = schedule(1000);
    const entry = resyncs.add('a', undefined, 0.7);
    expect(resyncs.tick(1000.1)).to.equal(true);
    expect(entry.due).to.equal(true);
  });

  it('asks no handler that was removed', () => {
    const { resyncs } = schedule(1000);
    resyncs.remove(resyncs.add('gone', undefined, 0));
    expect(resyncs.tick(5000)).to.equal(false);
  });

  it('refuses an interval that is no number of at least 0', () => {
    const { resyncs } = schedule(1000);
    expect(codeOf(() => resyncs.add('a', -1, 0))).to.equal('INVALID_OPTION');
    expect(codeOf(() => resyncs.add('a', Number.NaN, 0))).to.equal('INVALID_OPTION');
  });
});
