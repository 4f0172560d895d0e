import { expect } from 'chai';
import { guardedMetrics, logFailedMetrics } from '../../../lib/kernel/report/guarded-metrics.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../../lib/kernel/report/metrics.ts';

describe('guardedMetrics', () => {
  it('passes on what it is given', () => {
    const notified: unknown[] = [];
    const note =
      (verb: string) =>
      (...given: unknown[]): void =>
        void notified.push([verb, ...given]);
    const metrics = { count: note('count'), gauge: note('gauge'), observe: note('observe') };
    const guarded = guardedMetrics(metrics, () => {});
    guarded.count('a', 2, { x: 'y' });
    guarded.count('a');
    guarded.gauge('b', 3);
    guarded.observe('c', 4, { x: 'z' });
    expect(notified).to.deep.equal([
      ['count', 'a', 2, { x: 'y' }],
      ['count', 'a', undefined, undefined],
      ['gauge', 'b', 3, undefined],
      ['observe', 'c', 4, { x: 'z' }],
    ]);
  });

  it('reports what the library throws, or its promise rejects with, once for each metric', async () => {
    const errors: string[] = [];
    const metrics: Metrics = {
      count: (name) => {
        throw new Error(`${name} is not declared`);
      },
      gauge: () => {},
      observe: (name) => Promise.reject(new Error(`${name} is not there`)) as unknown as undefined,
    };
    const guarded = guardedMetrics(metrics, (error) => errors.push((error as Error).message));
    for (let round = 0; round < 3; round += 1) {
      guarded.count('a');
      guarded.count('b');
      guarded.gauge('a', 1);
      guarded.observe('c', 1);
      await new Promise(setImmediate);
    }
    expect(errors).to.deep.equal(['a is not declared', 'b is not declared', 'c is not there']);
  });

  it('leaves the silent metrics as they are, so that they can be recognised', () => {
    expect(guardedMetrics(silentMetrics, () => {})).to.equal(silentMetrics);
  });
});

describe('logFailedMetrics', () => {
  it('writes the error and whose metrics failed to the log', () => {
    const lines: unknown[][] = [];
    const error = new Error('no registry');
    const logger = { ...silentLogger, error: (...given: unknown[]) => void lines.push(given) };
    logFailedMetrics('shops', logger)(error);
    expect(lines).to.deep.equal([['metrics failed', { owner: 'shops', error }]]);
  });

  it('does not throw when the log does', () => {
    const logger = {
      ...silentLogger,
      error: () => {
        throw new Error('the disk is full');
      },
    };
    expect(() => logFailedMetrics('shops', logger)(new Error('no registry'))).not.to.throw();
  });
});
