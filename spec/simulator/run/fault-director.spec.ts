import { expect } from 'chai';
import { SIMULATOR_VERSION } from '../../../lib/simulator/contract/simulator-version.ts';
import type { ChangePoint } from '../../../lib/simulator/contract/fault.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { createOnce, twoWrites } from '../support/toys.ts';

const change = (occurrence: number): ChangePoint => ({
  resource: 'configmaps',
  object: 'default/app',
  change: 'changed',
  occurrence,
});

describe('what a fault hides', () => {
  it('is shown at its change, counted from the start of the workload and not from the fault', async () => {
    const simulation = await Simulation.of(
      simulationParts({
        controllers: [twoWrites({ fixed: true })],
        workload: [
          ...createOnce,
          ...['one', 'two'].map((text) => ({
            title: text,
            act: async (user: Parameters<(typeof createOnce)[number]['act']>[0]) => {
              const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
              await maps.patch('app', { data: { text } });
            },
          })),
        ],
      }),
    );
    const process = 'two-writes';
    const until = change(2);
    const hide = { kind: 'hide', process, at: change(1), until, mode: 'late' } as const;
    const plan = { version: SIMULATOR_VERSION, seed: 1, faults: [hide], origin: 'a spec' };
    const { record } = await simulation.evaluate(plan);
    const lines = record.journal.text().split('\n');
    const changes = lines.flatMap((line, index) => (/commit .* changed/.test(line) ? [index] : []));
    const shown = lines.findIndex((line) => line.includes('sees configmaps again'));
    expect(changes).to.have.length(3);
    expect(shown).to.equal((changes[1] ?? 0) + 1);
  });
});
