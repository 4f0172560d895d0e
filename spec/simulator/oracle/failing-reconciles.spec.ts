import { expect } from 'chai';
import { controller } from '../../../lib/index.ts';
import { abortable } from '../../../lib/kernel/time/abort.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import {
  failingReconciles,
  nextFailuresMs,
} from '../../../lib/simulator/oracle/failing-reconciles.ts';
import { Journal } from '../../../lib/simulator/record/journal.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';

/** Failures of one key at the times of an exponential back-off from 5 ms on. */
function journalOf(failures: number): Journal {
  let nowMs = 10_000;
  const journal = new Journal(() => nowMs);
  for (let count = 1; count <= failures; count += 1) {
    const error = new Error('no such page');
    const fields = { controller: 'sites', key: 'shop/hello', failures: count, error };
    journal.log('operator', 'error', 'reconcile failed', fields);
    // Another key that fails as often as it is asked for.
    if (count < 4)
      journal.log('operator', 'error', 'reconcile failed', { ...fields, key: 'bakery' });
    nowMs += 5 * 2 ** (count - 1);
  }
  return journal;
}

function lastMs(journal: Journal): number {
  return journal.entries.at(-1)?.atMs ?? 0;
}

describe('a reconcile that fails again and again', () => {
  it('is found if it fails once more when all is quiet, with its key, its error and the number of failures', () => {
    const journal = journalOf(14);
    expect(failingReconciles(journal, lastMs(journal))).to.deep.equal([
      {
        class: 'failing',
        subject: 'operator: sites: shop/hello',
        message:
          'it has failed 14 times, and goes on: reconcile failed: no such page (controller=sites key=shop/hello)',
      },
    ]);
    expect(failingReconciles(journal, lastMs(journal) + 1)).to.deep.equal([]);
  });

  it('gets the time for one more failure, and none after a few failures', () => {
    const journal = journalOf(14);
    const pauseMs = 5 * 2 ** 12;
    expect(nextFailuresMs(journal) - lastMs(journal)).to.be.within(2 * pauseMs, 3 * pauseMs);
    const few = journalOf(4);
    expect(nextFailuresMs(few)).to.equal(0);
    expect(failingReconciles(few, 0)).to.deep.equal([]);
  });

  it('is found by a fault that makes it fail for ever, though nothing is written', async () => {
    const forgetful: SimulatedController = {
      name: 'forgetful',
      async run({ client, runtime, signal, logger }) {
        let seen = false;
        await using operator = controller(client, 'v1', 'configmaps', {
          runtime,
          logger,
          labelSelector: 'kind=shop',
        }).reconcile(async ({ metadata: { name } }, { resource }) => {
          if (seen) throw new Error('this was done before');
          seen = true;
          await resource('v1', 'configmaps').patch(name, { metadata: { labels: { done: 'yes' } } });
        });
        await operator.run({ signal });
      },
    };
    const workload: readonly WorkloadStep[] = [
      {
        title: 'open a shop',
        act: async (user) => {
          const metadata = { name: 'bakery', labels: { kind: 'shop' } };
          await user.resource('v1', 'configmaps', { namespace: 'default' }).create({ metadata });
        },
      },
    ];
    const report = await simulate({ controllers: [forgetful], workload, onFailure: 'return' });
    const found = report.failures.flatMap(({ findings }) => findings);
    expect(found.map((one) => one.class)).to.include('failing');
    expect(found.find((one) => one.class === 'failing')?.message).to.include(
      'this was done before',
    );
  });

  it('gets no more time than the run has: a late one does not make the run one that is never idle', async () => {
    const late: SimulatedController = {
      name: 'late',
      async run({ runtime, signal, logger }) {
        for (const afterMs of [0, 0, 0, 0, 60_000]) {
          await sleep(runtime, afterMs, { signal });
          logger.error('sites: shop/hello: no such page');
        }
        await abortable(new Promise(() => {}), signal);
      },
    };
    const workload: readonly WorkloadStep[] = [{ title: 'wait', act: async () => {} }];
    // The next failure would come some 150 s after the last one, at 60 s.
    const report = await simulate({
      controllers: [late],
      workload,
      seeds: 0,
      virtualLimitMs: 120_000,
      onFailure: 'return',
    });
    expect({ ok: report.ok, summary: report.summary }).to.deep.include({ ok: true });
  });
});
