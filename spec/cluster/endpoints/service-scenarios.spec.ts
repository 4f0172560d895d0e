import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { endpoints } from '../../../lib/cluster/endpoints/endpoints-controller.ts';
import { mirroredEndpointSlices } from '../../../lib/cluster/endpoints/slices/mirroring-controller.ts';
import { endpointSlices } from '../../../lib/cluster/endpoints/slices/slices-controller.ts';
import { aggregatedRoles } from '../../../lib/cluster/roles/role-aggregation.ts';
import { canonical } from '../../compare/normalise.ts';
import { ScenarioRunner } from '../scenarios/run-scenarios.ts';
import { services } from '../scenarios/services.ts';
import { NetworkWorld } from '../support/network-world.ts';

/** The outcomes on kube-apiserver and kube-controller-manager 1.37.2, by title. */
const recorded = JSON.parse(
  readFileSync(new URL('../scenarios/recorded-services.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, unknown>>;
const PARTS = [endpoints, endpointSlices, mirroredEndpointSlices, aggregatedRoles];

describe('the endpoints of services are those of a real cluster', () => {
  const answers = new Map<string, unknown>();

  before(async () => {
    await NetworkWorld.run(PARTS, async ({ world: { cluster, runtime } }) => {
      const transport = inProcessTransport(cluster.server.handler);
      const client = new Client({ transport, runtime, onWarning: () => {} });
      await using runner = await ScenarioRunner.start({ client, runtime, run: 'spec' });
      for (const scenario of services) {
        answers.set(scenario.title, JSON.parse(canonical(await runner.answer(scenario))));
      }
    });
  });

  it('has a recorded outcome for each scenario', () => {
    expect(Object.keys(recorded)).to.deep.equal(services.map(({ title }) => title));
    expect(JSON.stringify(recorded)).not.to.contain('"failed"');
  });

  for (const { title } of services) {
    it(title, () => {
      expect(answers.get(title)).to.deep.equal(JSON.parse(canonical(recorded[title])));
    });
  }
});
