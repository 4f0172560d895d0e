/** `npm run check -- storm`: records a storm of changes and lost connections, and replays it to the same cache. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { playStorm } from './play-storm.ts';

const USAGE = `npm run check -- storm [--kubeconfig FILE] [--writes N] [--seed TEXT]

Records a storm of N changes (2000 unless given) and lost connections, and replays it: fails when the cache of the replay differs from the
one that was recorded. Makes config maps in a namespace of its own, and deletes it. Without --kubeconfig it starts listwatch serve.
TEXT decides which changes are made and which connections are lost (1 unless given).`;

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    writes: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const writes = Number(values.writes);
if (values.help || !Number.isInteger(writes) || writes < 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  await main();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-storm-'));
  const server =
    values.kubeconfig === undefined
      ? spawn(
          process.execPath,
          [
            '--conditions=@listwatch/source',
            '--import',
            'tsx',
            join(import.meta.dirname, '../../lib/cli/listwatch.ts'),
            'serve',
            '--port',
            '0',
            '--json',
          ],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        )
      : undefined;
  try {
    const kubeconfig = values.kubeconfig ?? (await readyKubeconfig(server?.stdout));
    await using client = await connect({ kubeconfig });
    const path = join(folder, 'storm.listwatch');
    const report = await playStorm(client, path, {
      writes,
      seed: values.seed,
    });
    console.log({ ...report, bytes: statSync(path).size });
    if (report.different.length > 0) process.exitCode = 1;
  } finally {
    server?.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readyKubeconfig(stdout: Readable | undefined): Promise<string> {
  let text = '';
  for await (const piece of stdout ?? []) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return (JSON.parse(text) as { readonly kubeconfig: string }).kubeconfig;
}
