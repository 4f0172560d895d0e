import { expect } from 'chai';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { canonical } from '../compare/normalise.ts';
import { recordedOutcomes } from './scenarios/recorded-outcomes.ts';
import { CONTROLLERS, ScenarioRunner, SCENARIOS } from './scenarios/run-scenarios.ts';
import { VirtualClusterWorld } from './support/virtual-cluster-world.ts';

describe('the controllers of the embedded cluster do what those of a real one do', () => {
  const recorded = recordedOutcomes();

  it('has a recorded outcome for each scenario', () => {
    expect(Object.keys(recorded)).to.deep.equal(SCENARIOS.map(({ title }) => title));
    expect(JSON.stringify(recorded)).not.to.contain('"failed"');
  });

  /** By title. As for a real cluster, one after the other on one cluster, which takes longer to start than a scenario. */
  const answers = new Map<string, unknown>();

  before(async () => {
    await VirtualClusterWorld.run(
      async ({ cluster, runtime }) => {
        const transport = inProcessTransport(cluster.server.handler);
        const client = new Client({ transport, runtime, onWarning: () => {} });
        await using runner = await ScenarioRunner.start({ client, runtime, run: 'spec' });
        // The garbage collector has read discovery again.
        await runner.whenFollowed();
        for (const scenario of SCENARIOS) {
          answers.set(scenario.title, JSON.parse(canonical(await runner.answer(scenario))));
        }
      },
      { controllers: CONTROLLERS },
    );
  });

  for (const { title } of SCENARIOS) {
    it(title, () => {
      expect(answers.get(title)).to.deep.equal(JSON.parse(canonical(recorded[title])));
    });
  }
});
