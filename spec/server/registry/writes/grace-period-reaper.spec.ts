import { expect } from 'chai';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { notFound } from '../../../../lib/meta/failure/failures.ts';
import { GracePeriodReaper } from '../../../../lib/server/registry/writes/grace-period-reaper.ts';

describe('GracePeriodReaper', () => {
  let runtime: VirtualRuntime;
  let warnings: string[];
  let reaper: GracePeriodReaper;
  let removed: string[];
  let nodes: { endsPods: boolean };

  beforeEach(() => {
    runtime = new VirtualRuntime();
    warnings = [];
    removed = [];
    const logger = { ...silentLogger, warn: (text: string) => warnings.push(text) };
    nodes = { endsPods: false };
    reaper = new GracePeriodReaper({ runtime, logger, nodes });
  });

  const schedule = (key: string, afterMs: number, fail?: () => Error | undefined): void => {
    reaper.schedule(key, runtime.wallMs() + afterMs, () => {
      removed.push(key);
      const error = fail?.();
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    });
  };

  it('removes at the appointed time, at once when that has passed', async () => {
    schedule('late', 2000);
    schedule('past', -5000);
    await runtime.advance(1999);
    expect(removed).to.deep.equal(['past']);
    await runtime.advance(1);
    expect(removed).to.deep.equal(['past', 'late']);
    expect(reaper.size).to.equal(0);
  });

  it('keeps the last appointment of a key', async () => {
    schedule('a', 1000);
    schedule('a', 5000);
    await runtime.advance(4999);
    expect([removed, reaper.size]).to.deep.equal([[], 1]);
    await runtime.advance(1);
    expect(removed).to.deep.equal(['a']);
  });

  it('tries again after a failure and logs it', async () => {
    let failures = 2;
    schedule('a', 0, () => (failures-- > 0 ? new Error('no storage') : undefined));
    await runtime.advance(60_000);
    expect(removed).to.deep.equal(['a', 'a', 'a']);
    expect(warnings).to.have.length(2);
  });

  it('is content when the object is gone already', async () => {
    schedule('a', 0, () => notFound({ group: '', resource: 'pods' }, 'a'));
    await runtime.advance(60_000);
    expect([removed, warnings, reaper.size]).to.deep.equal([['a'], [], 0]);
  });

  it('leaves the removal to nodes, once there are some', async () => {
    schedule('before', 1000);
    nodes.endsPods = true;
    schedule('after', 1000);
    expect(reaper.size).to.equal(1);
    await runtime.advance(60_000);
    expect([removed, reaper.size]).to.deep.equal([[], 0]);
  });

  it('drops everything at close', async () => {
    schedule('a', 1000);
    reaper.close();
    schedule('b', 1000);
    await runtime.advance(60_000);
    expect([removed, reaper.size]).to.deep.equal([[], 0]);
  });
});
