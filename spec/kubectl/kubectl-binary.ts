import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface KubectlBinary {
  readonly path: string;
  /** e.g. `v1.36.4`. */
  readonly version: string;
  /** e.g. 36. */
  readonly minor: number;
}

/** The kubectl on PATH, then those that LISTWATCH_KUBECTL lists. */
export function kubectlPaths(env: NodeJS.ProcessEnv = process.env): string[] {
  const onPath = (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'kubectl'));
  const listed = (env['LISTWATCH_KUBECTL'] ?? '').split(delimiter).filter((path) => path !== '');
  const first = onPath.find((path) => existsSync(path));
  return [...new Set([...(first === undefined ? [] : [first]), ...listed])];
}

/** @throws an Error when the program does not say its version. */
export async function kubectlBinary(path: string): Promise<KubectlBinary> {
  const { stdout } = await run(path, ['version', '--client', '-o', 'json'], {
    env: { PATH: process.env['PATH'], KUBECONFIG: '/dev/null' },
  });
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
  const minor = /^v1\.(\d+)\./.exec(clientVersion.gitVersion)?.[1];
  if (minor === undefined) throw new Error(`${path} is of version ${clientVersion.gitVersion}`);
  return { path, version: clientVersion.gitVersion, minor: Number(minor) };
}
