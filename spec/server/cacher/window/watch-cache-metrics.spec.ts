import { expect } from 'chai';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import type { Metrics } from '../../../../lib/kernel/report/metrics.ts';
import { watchCacheMetrics } from '../../../../lib/server/cacher/window/watch-cache-metrics.ts';
import { CacherHarness, PREFIX } from '../cacher-harness.ts';

describe('the metrics of a watch cache', () => {
  let counted: string[];
  let harness: CacherHarness;

  beforeEach(async () => {
    counted = [];
    const metrics: Metrics = {
      count: (name, by = 1, labels = {}) => {
        if (/consistent_read|terminated_watchers/.test(name))
          counted.push(`${name} ${JSON.stringify(labels)} ${by}`);
      },
      gauge: () => {},
      observe: () => {},
    };
    harness = new CacherHarness({ description: 'pods', logger: silentLogger, metrics });
    await harness.runtime.run(harness.cacher.readinessCheck());
  });
  afterEach(async () => {
    await harness.stop();
  });

  it('count lists of the most recent state, and no others', async () => {
    await harness.create('a');
    await harness.runtime.run(harness.cacher.getList(PREFIX));
    await harness.runtime.run(harness.cacher.getList(PREFIX, { resourceVersion: '0' }));
    expect(counted).to.deep.equal([
      `${watchCacheMetrics.consistentLists.name} {"group":"","resource":"pods","success":"true","fallback":"false"} 1`,
    ]);
  });

  it('count each watcher that is ended because its reader does not keep up', async () => {
    const idle = [];
    for (let count = 0; count < 2; count += 1) {
      idle.push(await harness.runtime.run(harness.cacher.watch(PREFIX)));
    }
    await harness.runtime.run(harness.cacher.watch(`${PREFIX}/other/`));
    for (let count = 0; count < 3000; count += 1) await harness.create(`p${count}`);
    await harness.runtime.advance(10_000);
    const line = `${watchCacheMetrics.terminatedWatchers.name} {"group":"","resource":"pods"} 1`;
    expect(counted).to.deep.equal([line, line]);
    for (const watch of idle) watch.destroy();
  });
});
