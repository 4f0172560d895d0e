/** `npm run check -- conformance-cases`: Kubernetes' own conformance cases with listwatch serve. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { inTurn } from '../compare/in-turn.ts';
import { ServedProcess } from '../programs/served-process.ts';
import { E2eSuite } from './e2e-suite.ts';
import { areaOf, needOf, recordResults, type CaseResult } from './recorded-results.ts';

const AREAS =
  'sig-api-machinery,sig-apps,sig-architecture,sig-auth,sig-cli,sig-instrumentation,sig-network,sig-scheduling';

const NODES = '3';
/** Only a hang reaches it. */
const READY_LIMIT_MS = 300_000;
/** Of a message in the record. */
const LONGEST_FAILURE = 200;

const USAGE = `npm run check -- conformance-cases --suite FILE [options]

  --suite FILE       the program e2e.test of a Kubernetes release
  --kubectl FILE     kubectl of that release, for the cases of sig-cli
  --areas NAME,...   the areas; ${AREAS} unless given
  --only TEXT        only cases with this text in their names
  --at-a-time N      how many cases run at once, most of which wait; 8 unless given
  --release VERSION  the release of the suite, for the record
  --all              also runs cases that need a part of a cluster that is not there; most of them wait for minutes
  --record           adds the results to spec/e2e/recorded-results.json, of which docs/conformance-e2e.md is made
  --help             shows this

The server is listwatch serve --controllers workloads --nodes ${NODES}. The exit code is 1 if a case fails that needs no part of a cluster that is
not there.`;

const { values } = parseArgs({
  options: {
    suite: { type: 'string' },
    kubectl: { type: 'string' },
    areas: { type: 'string', default: AREAS },
    only: { type: 'string', default: '' },
    'at-a-time': { type: 'string', default: '8' },
    release: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
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
    const flags = ['--nodes', NODES];
    await using server = await ServedProcess.start(folder, { controllers: 'workloads', flags });
    await untilReady(server.kubeconfig);
    const run = names.filter((name) => values.all || needOf({ name }) === undefined);
    const ran = await runAll(suite, run, server.kubeconfig);
    const left = names.filter((name) => !run.includes(name));
    const cases = [...ran, ...left.map((name): CaseResult => ({ name, failure: 'not run' }))];
    report(cases);
    if (values.record) recordResults(values.release, cases);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Many cases give up at once without a node. */
async function untilReady(kubeconfig: string): Promise<void> {
  await using client = await connect({ kubeconfig });
  const nodes = client.resource('v1', 'nodes');
  for (let node = 1; node <= Number(NODES); node += 1) {
    await nodes.wait(
      `node-${node}`,
      (found) =>
        found?.status?.conditions?.some(
          ({ type, status }) => type === 'Ready' && status === 'True',
        ) === true,
      { timeoutMs: READY_LIMIT_MS },
    );
  }
}

function report(cases: readonly CaseResult[]): void {
  const failed = cases.filter(({ failure }) => failure !== undefined);
  const unexplained = failed.filter((one) => needOf(one) === undefined);
  for (const { name, failure } of unexplained) console.log(`FAILS ${name}\n    ${failure}`);
  const passed = cases.length - failed.length;
  const others = failed.length - unexplained.length;
  console.log(
    `${cases.length} cases: ${passed} passed, ${unexplained.length} failed, ${others} need a part that is not there`,
  );
  if (unexplained.length > 0) process.exitCode = 1;
}

/** The results in the order of the names. A case marked as serial has the server for itself. */
async function runAll(
  suite: E2eSuite,
  names: readonly string[],
  kubeconfig: string,
): Promise<readonly CaseResult[]> {
  const failures = new Map<string, string>();
  let done = 0;
  const one = async (name: string): Promise<void> => {
    const failure = await suite.run(name, kubeconfig);
    done += 1;
    if (failure !== undefined) failures.set(name, failure.slice(0, LONGEST_FAILURE));
    const result = failure === undefined ? 'passed' : `failed: ${failure.slice(0, 160)}`;
    console.log(`${done}/${names.length} ${name}: ${result}`);
  };
  const isSerial = (name: string): boolean => name.includes('[Serial]');
  const parallel = names.filter((name) => !isSerial(name));
  await inTurn(parallel, Number(values['at-a-time']), one);
  for (const name of names.filter(isSerial)) await one(name);
  return names.map((name) => {
    const failure = failures.get(name);
    return failure === undefined ? { name } : { name, failure };
  });
}
