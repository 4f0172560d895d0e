import { expect } from 'chai';
import { storyLines } from '../../../lib/simulator/explain/story-lines.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { copies, copySteps } from '../support/copies.ts';

describe('the lines of a story', () => {
  it('show each state of an object that a process sees once, though lists bring it again', async () => {
    const simulation = await Simulation.of(
      simulationParts({ controllers: [copies], workload: copySteps.slice(0, 2) }),
    );
    const plan = { version: SIMULATOR_VERSION, seed: 2, faults: [], origin: 'a spec' };
    const { record } = await simulation.evaluate(plan, { detailed: true });
    const lists = record.events.filter(({ piece }) => Buffer.from(piece).includes('"items"'));
    expect(lists.length, 'lists that look whether a watch is alive').to.be.greaterThan(0);
    const events = storyLines(record)
      .filter(({ kind, actor }) => kind === 'event' && actor === 'copies')
      .map(({ text }) => text);
    expect(events).to.include('sees configmaps default/page added, version 8');
    const states = events.map((text) => text.replace(/ (?:added|changed|deleted),/, ''));
    expect(states).to.deep.equal([...new Set(states)]);
  });

  it('name a request that is not shown, when its answer is', async () => {
    const read: SimulatedController = {
      name: 'reads',
      async run({ client, signal }) {
        await client
          .resource('v1', 'secrets', { namespace: 'default' })
          .list()
          .catch(() => {});
        await client
          .resource('v1', 'secrets', { namespace: 'default' })
          .get('page')
          .catch(() => {});
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
      },
    };
    const simulation = await Simulation.of(simulationParts({ controllers: [read] }));
    const at = { verb: 'list', resource: 'secrets', occurrence: 1 } as const;
    const fault = { kind: 'error', process: 'reads', at, status: 500, handled: false } as const;
    const plan = { version: SIMULATOR_VERSION, seed: 2, faults: [fault], origin: 'a spec' };
    const { record } = await simulation.evaluate(plan, { detailed: true });
    const answers = storyLines(record).flatMap(({ kind, text }) => (kind === 'answer' ? text : []));
    expect(answers[0]).to.match(/^gets the answer 500 to list secrets default\/ \(#\d+\)$/);
    expect(answers.at(-1)).to.match(/^gets the answer 404 to request #\d+$/);
  });
});
