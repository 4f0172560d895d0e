import { expect } from 'chai';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { isConflict, isNotFound } from '../../../lib/index.ts';
import type { PlannedFault } from '../../../lib/simulator/contract/fault.ts';
import type {
  Incarnation,
  SimulatedController,
} from '../../../lib/simulator/contract/simulated-controller.ts';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';

const LEASE_MS = 15_000;
const ROUNDS = 30;

/** Takes the lease when there is none, or when it has run out. */
async function holdsLease({ client, runtime, identity }: Incarnation): Promise<boolean> {
  const leases = client.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
  const renewTime = new Date(runtime.wallMs()).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: identity, renewTime, leaseDurationSeconds: LEASE_MS / 1000 };
  try {
    const lease = await leases.get('rivals');
    const { holderIdentity, renewTime: renewed = '' } = lease.spec ?? {};
    const isOver = Date.parse(renewed) + LEASE_MS < runtime.wallMs();
    if (holderIdentity !== identity && !isOver) return false;
    await leases.update({ ...lease, spec });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (!isNotFound(error)) throw error;
    await leases.create({ metadata: { name: 'rivals' }, spec });
    return true;
  }
}

/** Counts in a config map while it leads. The wrong one looks at the lease only before it begins. */
function rivals({ checksAgain }: { readonly checksAgain: boolean }): SimulatedController {
  return {
    name: 'rivals',
    replicas: 2,
    async run(incarnation) {
      const { client, runtime, replica } = incarnation;
      const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
      // The first replica leads, unless something happens to it.
      await sleep(runtime, replica * 1000);
      while (!(await holdsLease(incarnation))) await sleep(runtime, 2000);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const leads = await holdsLease(incarnation);
        if (checksAgain && !leads) break;
        const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'count' } } as const;
        await maps.apply({ ...map, data: { round: String(round) } }, { fieldManager: 'rivals' });
        await sleep(runtime, 1000);
      }
      await new Promise<never>(() => {});
    },
  };
}

async function classesOf(
  controller: SimulatedController,
  fault: PlannedFault,
): Promise<readonly string[]> {
  const simulation = await Simulation.of(simulationParts({ controllers: [controller] }));
  const plan = { version: SIMULATOR_VERSION, seed: 4, faults: [fault], origin: 'a spec' };
  const { record, findings } = await simulation.evaluate(plan);
  expect(record.struck).to.deep.equal([fault]);
  const ofLeaders = findings.filter((one) => one.class === 'two-leaders');
  for (const { message } of ofLeaders)
    expect(message).to.match(
      /^rivals#0 wrote configmaps default\/count [\d.]+ s after rivals#1 had taken the lead/,
    );
  return ofLeaders.map(({ subject }) => subject);
}

describe('a write of a replica that has lost the lead', () => {
  const stands: PlannedFault = {
    kind: 'pause',
    process: 'rivals#0',
    at: { verb: 'patch', resource: 'configmaps', occurrence: 5 },
    forMs: 40_000,
  };

  it('is found if it is accepted after another replica has the lead', async () => {
    expect(await classesOf(rivals({ checksAgain: false }), stands)).to.deep.equal([
      'lease default/rivals',
    ]);
  });

  it('is none in a replica that looks at the lease before each write, nor after a restart', async () => {
    expect(await classesOf(rivals({ checksAgain: true }), stands)).to.deep.equal([]);
    const { forMs: _, ...at } = stands;
    const dies: PlannedFault = { ...at, kind: 'crash', moment: 'before' };
    expect(await classesOf(rivals({ checksAgain: false }), dies)).to.deep.equal([]);
  });
});
