import { expect } from 'chai';
import { controller } from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { failingReconciles } from '../../../lib/simulator/oracle/failing-reconciles.ts';
import { Journal } from '../../../lib/simulator/record/journal.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';

/** Failures of one key at the times of an exponential back-off from 5 ms on. */
function journalOf(failures: number): Journal {
  let nowMs = 10_000;
  const journal = new Journal(() => nowMs);
  for (let count = 1; count <= failures; count += 1) {
    journal.add('sites', 'log', `error: sites: shop/hello: no such page {"failures":${count}}`);
    nowMs += 5 * 2 ** (count - 1);
  }
  return journal;
}

function lastMs(journal: Journal): number {
  return journal.entries.at(-1)?.atMs ?? 0;
}

describe('a reconcile that fails again and again', () => {
  it('is found while its next failure is due, with its key, its error and the number of failures', () => {
    const journal = journalOf(14);
    const endMs = lastMs(journal) + 30_000;
    expect(failingReconciles(journal, endMs)).to.deep.equal([
      {
        class: 'failing',
        subject: 'sites: sites: shop/hello',
        message: 'it has failed 14 times, and goes on: sites: shop/hello: no such page',
      },
    ]);
  });

  it('is none when it would have failed again by now, nor after a few failures', () => {
    const recovered = journalOf(9);
    expect(failingReconciles(recovered, lastMs(recovered) + 60_000)).to.deep.equal([]);
    const few = journalOf(4);
    expect(failingReconciles(few, lastMs(few))).to.deep.equal([]);
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
});
