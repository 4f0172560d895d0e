import { parseArgs } from 'node:util';
import { EXAMPLES, endOf, missingLine, type Example } from './support/all-examples.ts';
import { runExample } from './support/run-example.ts';

const USAGE = `Runs every example, and prints a table.

  npm run check -- examples [--kubeconfig FILE]

  --kubeconfig FILE   on this cluster (default: on servers in their processes)`;

interface Row {
  readonly script: string;
  readonly problem: string | undefined;
  readonly seconds: number;
}

/** Examples share the definition of sites, so they run one after another. */
async function run(example: Example, kubeconfig: string | undefined): Promise<Row> {
  const begun = performance.now();
  const args = kubeconfig === undefined ? (example.embedded ?? []) : ['--kubeconfig', kubeconfig];
  const { code, stdout, stderr } = await runExample(example.script, args, endOf(example));
  const missing = missingLine(example, stdout);
  const problem =
    code !== 0 || stderr !== ''
      ? `exit code ${code}: ${stderr.trim()}`
      : missing && `${String(missing)} is missing`;
  return { script: example.script, problem, seconds: (performance.now() - begun) / 1000 };
}

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help === true) {
  console.log(USAGE);
} else {
  const rows: Row[] = [];
  const examples = EXAMPLES.filter(
    ({ inProcess }) => values.kubeconfig === undefined || inProcess !== true,
  );
  for (const { script } of EXAMPLES.filter((example) => !examples.includes(example))) {
    console.log(`${script.padEnd(34)} left out: it needs servers in its process`);
  }
  for (const example of examples) {
    const row = await run(example, values.kubeconfig);
    rows.push(row);
    const { script, problem, seconds } = row;
    const result = problem === undefined ? 'works' : `fails: ${problem}`;
    console.log(`${script.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s  ${result}`);
  }
  const works = rows.filter(({ problem }) => problem === undefined).length;
  console.log(`${works} of ${rows.length} examples work`);
  process.exitCode = works === rows.length ? 0 : 1;
}
