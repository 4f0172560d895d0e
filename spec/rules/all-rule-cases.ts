import { minorOf, type KubernetesVersion } from '../../lib/meta/releases/kubernetes-releases.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleCases } from './rule-cases.ts';

const FOLDER = join(import.meta.dirname, 'cases');

/** The cases of every file in `cases`, each of which exports `cases`. */
export async function allRuleCases(): Promise<readonly RuleCases[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(
    files
      .toSorted()
      .map(
        async (file) =>
          (await import(join(FOLDER, file))) as { readonly cases: readonly RuleCases[] },
      ),
  );
  return modules.flatMap(({ cases }) => cases);
}

/** Those of kinds that a version has. */
export function servedBy(
  cases: readonly RuleCases[],
  version: KubernetesVersion | undefined,
): readonly RuleCases[] {
  return cases.filter(({ since = 0 }) => since <= minorOf(version));
}
