/**
 * Kills members of a real etcd cluster under API servers, clients and watches, and checks that nothing was lost, made up or
 * notified twice: `npm run check -- etcd-kill --kills 50 --seed s --binary path --json file`. Exit code 1 when something was.
 */
import { writeFileSync } from 'node:fs';
import { parseCommandLine } from './etcd-kill-options.ts';
import { runEtcdKill } from './etcd-kill-run.ts';
import { reportTable } from './etcd-kill-table.ts';

const { json, ...options } = parseCommandLine(process.argv.slice(2));
const report = await runEtcdKill({
  ...options,
  onProgress: (line) => {
    console.log(line);
  },
});
console.log(reportTable(report));
if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
if (report.verdict === 'failed') process.exitCode = 1;
