import { expect } from 'chai';
import { storyLines } from '../../../lib/simulator/explain/story-lines.ts';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { copies, copySteps } from '../support/copies.ts';

describe('the lines of a story', () => {
  it('tell each state of an object that a process sees once, though lists show it again', async () => {
    const simulation = await Simulation.of(
      simulationParts({ controllers: [copies], workload: copySteps.slice(0, 2) }),
    );
    const plan = { version: SIMULATOR_VERSION, seed: 2, faults: [], origin: 'a spec' };
    const { record } = await simulation.judge(plan, { detailed: true });
    const lists = record.events.filter(({ piece }) => Buffer.from(piece).includes('"items"'));
    expect(lists.length, 'lists that look whether a watch is alive').to.be.greaterThan(0);
    const events = storyLines(record)
      .filter(({ kind, actor }) => kind === 'event' && actor === 'copies')
      .map(({ text }) => text);
    expect(events).to.include('sees configmaps default/page added, version 8');
    const states = events.map((text) => text.replace(/ (?:added|changed|deleted),/, ''));
    expect(states).to.deep.equal([...new Set(states)]);
  });
});
