/**
 * `npm run storm -- --kubeconfig FILE`: records a storm of changes and lost connections against a real server, and replays it to the same
 * cache. Without `--kubeconfig` it starts `listwatch serve`. It makes config maps in a namespace of its own, and deletes it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { playStorm } from './play-storm.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    writes: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});
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
  const kubeconfig = values.kubeconfig ?? (await readyKubeconfig());
  await using client = await connect({ kubeconfig });
  const path = join(folder, 'storm.listwatch');
  const report = await playStorm(client, path, {
    writes: Number(values.writes),
    seed: values.seed,
  });
  console.log({ ...report, bytes: statSync(path).size });
  if (report.different.length > 0) process.exitCode = 1;
} finally {
  server?.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

async function readyKubeconfig(): Promise<string> {
  let text = '';
  for await (const piece of server?.stdout ?? []) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return (JSON.parse(text) as { readonly kubeconfig: string }).kubeconfig;
}
