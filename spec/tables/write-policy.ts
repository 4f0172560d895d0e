import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BOOTSTRAP_POLICY } from '../../lib/kinds/bootstrap/bootstrap-policy-text.ts';
import { ALL_RELEASES, minorOf, withRecorded } from './recorded-minor.ts';
import type { PolicyLines } from './record-policy.ts';

export const POLICY_FILE: string = resolve(
  import.meta.dirname,
  '../../lib/kinds/bootstrap/bootstrap-policy-text.ts',
);

/** Writes the roles and bindings that a server of one version makes. */
export async function writePolicy(serverVersion: string, policy: PolicyLines): Promise<void> {
  const minor = minorOf(serverVersion);
  let text = await readFile(POLICY_FILE, 'utf8');
  text = text.replace(
    /that kube-apiserver .*? creates/,
    `that kube-apiserver ${ALL_RELEASES} creates`,
  );
  for (const [resource, lines] of Object.entries(policy)) {
    const before = BOOTSTRAP_POLICY[resource as keyof PolicyLines];
    const after = `\n${withRecorded(before, minor, lines).join('\n')}`;
    text = text.replace(before, () => after);
  }
  await writeFile(POLICY_FILE, text);
}
