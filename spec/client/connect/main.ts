/**
 * Lets an informer go through every kind of credential while they rotate, and prints what it missed: `npm run check -- connect-matrix`.
 * `--binaries DIRECTORY` does the same on a real kube-apiserver, with the programs in that directory.
 */
import { parseArgs } from 'node:util';
import { credentialKinds, kindsNamed } from './kinds/credential-kinds.ts';
import type { CredentialKind } from './kinds/credential-kind.ts';
import { realMatrix } from './real/real-matrix.ts';
import { embeddedRow, embeddedTokenRow } from './support/embedded-matrix.ts';
import { matrixTable, problemsOf, type MatrixRow } from './support/matrix-row.ts';

const USAGE = `npm run check -- connect-matrix [options]

  --binaries DIR  the directory with kube-apiserver and etcd: both are started for this run, with data and keys of their own.
                  Left out: the embedded server
  --only NAME     this kind of credential, or those whose names contain this; may be given several times
  --rotations N   of each credential; 5 unless given
  --json          prints the rows as JSON
  --help          shows this`;

const NOTES = `
At each rotation the new credential is put in place, the server refuses the old one, and the connections of the client are ended.
A cut only ends the connections: the credential is a constant of the configuration. A kube-apiserver refuses a token when the
Secret to which it is bound is gone, after up to ten seconds; a certificate when its authority is no longer trusted; an ID token
when it has expired. It has no passwords since 1.19, so a front before it asks for them. The 401s, lists and watches of a
kube-apiserver are those of its audit log.`.split('\n');

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      binaries: { type: 'string' },
      only: { type: 'string', multiple: true },
      rotations: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return;
  }
  // The children are ended when the process exits, which a signal alone would not do.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const { binaries, only = [], rotations = '5' } = values;
  const kinds = kindsNamed(only);
  if (kinds.length === 0) throw new Error(`no kind of credential is named like ${only.join(', ')}`);
  const rows =
    binaries === undefined
      ? await onEmbedded(kinds, Number(rotations))
      : await realMatrix({ kinds, rotations: Number(rotations), binaries, onRow: progress });
  if (process.stderr.isTTY) process.stderr.write('\r');
  if (values.json === true) console.log(JSON.stringify(rows, undefined, 2));
  else for (const line of [...matrixTable(rows), ...NOTES]) console.log(line);
  if (rows.some((row) => problemsOf(row).length > 0)) process.exitCode = 1;
}

async function onEmbedded(
  kinds: readonly CredentialKind[],
  rotations: number,
): Promise<readonly MatrixRow[]> {
  const rows: MatrixRow[] = kinds === credentialKinds ? [await embeddedTokenRow(rotations)] : [];
  for (const kind of kinds) {
    const row = await embeddedRow(kind, rotations);
    progress(row);
    rows.push(row);
  }
  return rows;
}

/** A run takes a minute, so its progress is shown. */
function progress({ kind }: MatrixRow): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${kind.padEnd(60)}`);
}
