/** `npm run check -- conformance-cases`: Kubernetes' own conformance cases with listwatch serve, and with a real server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { inTurn } from '../compare/in-turn.ts';
import { ServedProcess } from '../programs/served-process.ts';
import { E2eSuite } from './e2e-suite.ts';
import { readyNodes } from './ready-nodes.ts';
import { areaOf, verdictOf, writeResults, type CaseResult } from './recorded-results.ts';

const AREAS = 'sig-api-machinery,sig-auth,sig-instrumentation,sig-architecture,sig-cli';

/** Of the embedded cluster. */
const NODES = 3;

/** Of a message in the record. */
const LONGEST_FAILURE = 200;

const USAGE = `npm run check -- conformance-cases --suite FILE [options]

  --suite FILE       the program e2e.test of a Kubernetes release
  --kubectl FILE     kubectl of that release, for the cases of sig-cli
  --kubeconfig FILE  also runs the cases that fail with this server; it needs the controllers of a cluster, and a user that may do
                     everything. A case that fails with both servers needs running pods
  --areas NAME,...   the areas; ${AREAS} unless given
  --only TEXT        only cases with this text in their names
  --at-a-time N      how many cases run at once, most of which wait; 8 unless given
  --release VERSION  the release of the suite, for the record
  --record           writes spec/e2e/recorded-results.json, of which docs/conformance-e2e.md is made
  --help             shows this

Each server gets two nodes that are Ready and run nothing. The exit code is 1 if a case passes with the real server alone, or fails and
there is no real server.`;

const { values } = parseArgs({
  options: {
    suite: { type: 'string' },
    kubectl: { type: 'string' },
    kubeconfig: { type: 'string' },
    areas: { type: 'string', default: AREAS },
    only: { type: 'string', default: '' },
    'at-a-time': { type: 'string', default: '8' },
    release: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help || values.suite === undefined) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  await main(values.suite);
}

async function main(program: string): Promise<void> {
  const kubectl = values.kubectl === undefined ? undefined : resolve(values.kubectl);
  const suite = new E2eSuite({ suite: resolve(program), kubectl });
  const areas = new Set(values.areas.split(','));
  const names = (await suite.cases()).filter(
    (name) => areas.has(areaOf({ name })) && name.includes(values.only),
  );
  const folder = await mkdtemp(join(tmpdir(), 'e2e-served-'));
  try {
    await using server = await ServedProcess.start(folder, {
      controllers: 'workloads',
      flags: ['--nodes', `${NODES}`],
    });
    const ours = await runAll(suite, { names, kubeconfig: server.kubeconfig, server: 'listwatch' });
    const failed = names.filter((name) => ours.outcomes.has(name));
    const real =
      values.kubeconfig === undefined || failed.length === 0
        ? undefined
        : await runAll(suite, {
            names: failed,
            kubeconfig: resolve(values.kubeconfig),
            server: 'real',
          });
    const cases = names.map((name): CaseResult => {
      const [our, theirs] = [ours.outcomes.get(name), real?.outcomes.get(name)];
      return {
        name,
        ...(our !== undefined && { ours: our }),
        ...(theirs !== undefined && { real: theirs }),
      };
    });
    report(cases);
    if (values.record && real !== undefined)
      writeResults({
        source: 'names and messages of the cases of k8s.io/kubernetes/test/e2e, Apache-2.0',
        suite: values.release,
        real: real.version,
        cases,
      });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(cases: readonly CaseResult[]): void {
  const differing = cases.filter((one) => verdictOf(one) === 'differs');
  for (const { name, ours } of differing) console.log(`DIFFERS ${name}\n    ${ours}`);
  const passed = cases.filter((one) => verdictOf(one) === 'passed').length;
  console.log(
    `${cases.length} cases: ${passed} passed, ${differing.length} differ, ${cases.length - passed - differing.length} need running pods`,
  );
  if (differing.length > 0) process.exitCode = 1;
}

interface AllOptions {
  readonly names: readonly string[];
  readonly kubeconfig: string;
  /** For the lines of progress. */
  readonly server: string;
}

/** The failures of the cases by their names, and the version of the server. A case marked as serial has the server for itself. */
async function runAll(
  suite: E2eSuite,
  { names, kubeconfig, server }: AllOptions,
): Promise<{ outcomes: ReadonlyMap<string, string>; version: string }> {
  await using client = await connect({
    kubeconfig,
    fieldManager: 'e2e',
    onWarning: () => {},
  });
  const { gitVersion } = await client.version();
  // Kubelets of the embedded cluster register nodes of their own.
  await using _nodes = server === 'real' ? await readyNodes(client) : undefined;
  const outcomes = new Map<string, string>();
  let done = 0;
  const one = async (name: string): Promise<void> => {
    const failure = await suite.run(name, kubeconfig);
    done += 1;
    if (failure !== undefined) outcomes.set(name, failure.slice(0, LONGEST_FAILURE));
    const result = failure === undefined ? 'passed' : `failed: ${failure.slice(0, 160)}`;
    console.log(`${server} ${done}/${names.length} ${name}: ${result}`);
  };
  const isSerial = (name: string): boolean => name.includes('[Serial]');
  await inTurn(
    names.filter((name) => !isSerial(name)),
    Number(values['at-a-time']),
    one,
  );
  for (const name of names.filter(isSerial)) await one(name);
  return { outcomes, version: gitVersion };
}
