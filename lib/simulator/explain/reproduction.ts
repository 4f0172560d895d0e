import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import { findingText } from './story.ts';

export interface ReproductionParts {
  readonly plan: SimulationPlan;
  readonly findings: readonly Finding[];
  /** The module whose default export are the options of the simulation, as the spec file imports it. */
  readonly optionsModule: string;
  /** The function that has found it: only the same replays controllers that have timers and clocks of their own. */
  readonly runner: 'simulate' | 'simulateModule';
}

/** A spec file that fails as long as the controller does: for mocha, vitest, or node:test with its imports. */
export function reproduction({ plan, findings, optionsModule, runner }: ReproductionParts): string {
  const [finding] = findings;
  const title = finding === undefined ? 'nothing' : findingText(finding);
  const module = JSON.stringify(optionsModule);
  const isHere = runner === 'simulate';
  const imported = isHere ? `import options from ${module};\n` : '';
  const options = isHere ? '...options' : `module: new URL(${module}, import.meta.url)`;
  const replay = JSON.stringify(plan, null, 2).replaceAll('\n', '\n    ');
  return `import { ${runner} } from 'listwatch/simulator';
${imported}
// With node:test: import { describe, it } from 'node:test'; with vitest: import { describe, it } from 'vitest'.
// It may take longer than the 2 s that mocha gives a test: mocha --timeout 60000.
describe('a run that failed once', () => {
  it(${JSON.stringify(`has no ${title}`)}, async () => {
    await ${runner}({ ${options}, replay: ${replay} });
  });
});
`;
}
