import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import { findingText } from './story.ts';

/**
 * A spec file that fails as long as the controller does: for mocha, vitest, or node:test with its imports. `optionsModule` is the module
 * whose default export are the options of the simulation.
 */
export function reproduction(
  plan: SimulationPlan,
  findings: readonly Finding[],
  optionsModule: string,
): string {
  const [finding] = findings;
  const title = finding === undefined ? 'nothing' : findingText(finding);
  return `import { simulate } from 'listwatch/simulator';
import options from ${JSON.stringify(optionsModule)};

// With node:test: import { describe, it } from 'node:test'; with vitest: import { describe, it } from 'vitest'.
describe('a run that failed once', () => {
  it(${JSON.stringify(`has no ${title}`)}, async () => {
    await simulate({ ...options, replay: ${JSON.stringify(plan, null, 2).replaceAll('\n', '\n    ')} });
  });
});
`;
}
