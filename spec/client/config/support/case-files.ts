import { delimiter } from 'node:path';
import type { ScratchDirectory } from '../../support/scratch-directory.ts';
import { base64 } from './kubeconfig-text.ts';
import type { KubectlCase } from './kubectl-cases.ts';

/** Writes the files of a case, with `AUTHORITY` replaced. Returns the environment in which they are found. */
export async function writeCase(
  { files, variable }: KubectlCase,
  scratch: ScratchDirectory,
  authority: string,
): Promise<Record<string, string>> {
  for (const [name, text] of Object.entries(files)) {
    await scratch.write(name, text.replaceAll('AUTHORITY', base64(authority)));
  }
  if (variable === undefined) return {};
  const KUBECONFIG = variable
    .split(':')
    .map((entry) => entry.replace('@', `${scratch.path}/`))
    .join(delimiter);
  return { KUBECONFIG };
}
