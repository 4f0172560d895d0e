import { parseArgs } from 'node:util';
import { etcdBinaries } from '../support/etcd.ts';

export interface EtcdKillOptions {
  readonly binary: string;
  /** Members killed before the run comes to its end. */
  readonly kills: number;
  /** Decides what the clients do and what happens to the members, not how long the machine takes. */
  readonly seed: string;
  /** @defaultValue 6 */
  readonly rawClients?: number | undefined;
  /** @defaultValue 3 */
  readonly servers?: number | undefined;
  /** How long a client waits between two calls, milliseconds. @defaultValue 15 */
  readonly paceMs?: number | undefined;
  /** Gets the progress. @defaultValue no listener */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** The command line: `--kills n --seed s --binary path --json file`. */
export function parseCommandLine(
  args: readonly string[],
): Pick<EtcdKillOptions, 'binary' | 'kills' | 'seed'> & { readonly json: string | undefined } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: '50' },
      seed: { type: 'string', default: '20260101' },
      binary: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const kills = Number(values.kills);
  if (!Number.isInteger(kills) || kills < 1) throw new Error('--kills takes a whole number from 1');
  const binary = values.binary ?? etcdBinaries()[0];
  if (binary === undefined) {
    throw new Error('no etcd on PATH or in LISTWATCH_ETCD; name one with --binary');
  }
  return { binary, kills, seed: values.seed, json: values.json };
}
