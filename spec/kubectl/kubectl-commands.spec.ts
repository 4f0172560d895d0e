import { expect } from 'chai';
import { allScenarios } from './all-scenarios.ts';
import { belowFloor, readFloor } from './floor.ts';
import { compareOutcomes } from './compare-outcomes.ts';
import { kubectlBinary, kubectlPaths } from './kubectl-binary.ts';
import { minorVersion, nearestMinor, readRecording, recordedMinors } from './recording.ts';
import { isWhole } from '../support/share.ts';
import { drawScenarios, runEmbedded } from './run-scenarios.ts';

/** Another seed draws other scenarios. */
const SEED = process.env['LISTWATCH_SEED'] ?? '1';

const found = kubectlPaths();
/** One program gets a third of the scenarios; each of several gets others, which are half of them together. A share is half of that. */
const parts = (found.length === 1 ? 3 : 2 * found.length) * (isWhole ? 1 : 2);

describe('commands of kubectl, with what a real kube-apiserver had them print', () => {
  if (found.length === 0) {
    it('are skipped: no kubectl on PATH, and LISTWATCH_KUBECTL names none', function () {
      console.log(
        '      skipped: no kubectl on PATH; LISTWATCH_KUBECTL=/path/to/kubectl names others',
      );
      this.skip();
    });
  }

  for (const [part, path] of found.entries()) {
    it(`end and print the same as recorded, or differ as before: ${path}`, async () => {
      const { version, minor } = await kubectlBinary(path);
      const recorded = nearestMinor(await recordedMinors(), minor);
      const { outcomes, kubectl, server } = await readRecording(recorded);
      const drawn = drawScenarios(allScenarios, SEED, { part, of: parts });
      const ours = await runEmbedded(drawn, path, minorVersion(server));
      const compared = compareOutcomes(ours, outcomes);
      const equal = compared.filter(({ differences }) => differences.length === 0);
      console.log(
        `      kubectl ${version}: ${equal.length} of ${compared.length} commands are the same as with ${kubectl} and kube-apiserver ${server}`,
      );
      const hung = [...ours].filter(([, { exit }]) => exit === -1).map(([id]) => id);
      expect(hung, 'commands that did not end').to.deep.equal([]);
      // Another minor version prints other words; its figure is only printed.
      if (recorded !== minor) return;
      const problems = belowFloor(compared, await readFloor(minor), { whole: false });
      expect(problems.join('\n'), 'npm run check -- kubectl --all --show').to.equal('');
    });
  }
});
