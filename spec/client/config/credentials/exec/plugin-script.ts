import type {
  ExecEnvironment,
  ExecPluginOptions,
} from '../../../../../lib/client/config/credentials/exec/exec-plugin-options.ts';
import { ambientEnvironment } from '../../../../../lib/client/config/ambient-environment.ts';
import { readFile } from 'node:fs/promises';
import type { ScratchDirectory } from '../../../support/scratch-directory.ts';

export const V1 = 'client.authentication.k8s.io/v1';
export const V1BETA1 = 'client.authentication.k8s.io/v1beta1';

/** The environment of a process that stands in no terminal. */
export function noTerminal(): ExecEnvironment {
  return { ...ambientEnvironment(), stdinIsTerminal: false };
}

/** A plug-in in JavaScript that writes a line into `runs` each time it starts, and how to run it. */
export class PluginScript {
  readonly options: ExecPluginOptions;
  readonly #runs: string;

  private constructor(options: ExecPluginOptions, runs: string) {
    this.options = options;
    this.#runs = runs;
  }

  /** `body` may use `print(status)`, `fs`, and `run`, the number of this run from 1. */
  static async make(
    scratch: ScratchDirectory,
    body: string,
    options: Partial<ExecPluginOptions> = {},
  ): Promise<PluginScript> {
    const runs = `${scratch.path}/runs`;
    const apiVersion = options.apiVersion ?? V1;
    const script = await scratch.write(
      'plugin.cjs',
      `const fs = require('node:fs');
const path = ${JSON.stringify(runs)};
fs.appendFileSync(path, process.pid + '\\n');
const run = fs.readFileSync(path, 'utf8').trim().split('\\n').length;
const print = (status, more) => process.stdout.write(JSON.stringify({ apiVersion: ${JSON.stringify(apiVersion)}, kind: 'ExecCredential', status, ...more }));
${body}
`,
    );
    return new PluginScript(
      {
        apiVersion,
        command: process.execPath,
        args: [script],
        interactiveMode: 'Never',
        source: 'user dev in /home/me/.kube/config:12',
        environment: noTerminal(),
        ...options,
      },
      runs,
    );
  }

  /** The process ids of its runs. A run whose line is not whole yet is not one of them: the file is there before its first line. */
  async runs(): Promise<number[]> {
    const text = await readFile(this.#runs, 'utf8').catch(() => '');
    return Array.from(text.matchAll(/^(\d+)\n/gm), ([, pid]) => Number(pid));
  }
}

/** Whether a process is there, also as a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
