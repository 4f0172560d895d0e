/**
 * Lets an informer with default options go through everything that can happen to it, over real sockets: `npm run check -- faults`.
 * `--peer @kubernetes/client-node` lets that one go through the same.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { clientNode } from './contestants/client-node-contestant.ts';
import { listwatch } from './contestants/listwatch-contestant.ts';
import type { ContestantKind } from './contestants/contestant.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './matrix/all-faults.ts';
import {
  CLIENT_NODE,
  CLIENT_NODE_VERSIONS,
  installClientNode,
} from './peers/client-node-install.ts';
import { compare, describeFault, describeVerdict, heading, type ReportOptions } from './report.ts';
import { runCase, type Verdict } from './run-case.ts';
import { printSocketStorms, printVirtualStorms, type StormOptions } from './storms/run-storms.ts';

const USAGE = `npm run check -- faults [options]

  --list         names the faults
  --only NAME    this fault, or those whose names contain this; may be given several times
  --seed TEXT    draws the writes anew; a red row says which one it was
  --peer NAME    @kubernetes/client-node goes through the same, in processes of its own
  --node22 PATH  a Node that runs version 2 of the peer: that version goes through the same, too
  --json FILE    writes the verdicts to a file
  --storm        only the storms: those in virtual time, and some over sockets
  --kubeconfig FILE  the storms over sockets go to this server, through a proxy on loopback; TLS passes untouched, so its
                 certificate has to be for its host name or for 127.0.0.1. Writes ConfigMaps into the context's namespace
  --informers N  of the storms over sockets; 20 unless given
  --seconds N    length of each of them; 60 unless given
  --down COMMAND --up COMMAND  end the server of the kubeconfig, and start it again, for one more storm
  --help         shows this`;

interface Options {
  readonly faults: readonly Fault[];
  readonly seed: string;
  readonly peer: string | undefined;
  readonly node22: string | undefined;
  readonly json: string | undefined;
  /** Only these, and no fault. */
  readonly storms: StormOptions | undefined;
}

const WIDTH_WITHOUT_TERMINAL = 140;
/** As in the documentation of the peer. */
const PEER_RESTART_MS = 5000;
const PEERS_AT_A_TIME = 10;

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  const { faults, seed, peer, node22, json, storms } = options;
  // Printed before the end: an unhandled rejection must not pass for a survival.
  process.on('unhandledRejection', (error) => {
    console.error('unhandled rejection:', error);
    process.exitCode = 1;
  });
  if (storms !== undefined) {
    await printVirtualStorms(seed);
    if (!(await printSocketStorms(storms))) process.exitCode = 1;
    return;
  }
  const peers = peer === undefined ? [] : await peerKinds(node22);
  const progress = countOnTerminal(faults.length * (1 + peers.length));
  const verdicts = await runAll(faults, listwatch(), seed, progress);
  if (process.stderr.isTTY) process.stderr.write('\r');
  print(verdicts, seed);
  await printVirtualStorms(seed);
  // Afterwards: a dozen processes that start would be measured as well.
  const peerVerdicts = await runPeers(faults, peers, seed, progress);
  if (peers.length > 0) {
    const names = ['listwatch', ...peers.map(({ name }) => name)];
    for (const line of compare(names, [...verdicts, ...peerVerdicts], layout(seed))) {
      console.log(line);
    }
  }
  if (json !== undefined) {
    const all = [...verdicts, ...peerVerdicts];
    await writeFile(json, `${JSON.stringify({ seed, verdicts: all }, null, 2)}\n`);
  }
  if (verdicts.some(({ ok }) => !ok)) process.exitCode = 1;
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      seed: { type: 'string' },
      peer: { type: 'string' },
      node22: { type: 'string' },
      json: { type: 'string' },
      storm: { type: 'boolean' },
      kubeconfig: { type: 'string' },
      informers: { type: 'string' },
      seconds: { type: 'string' },
      down: { type: 'string' },
      up: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { kubeconfig, informers = '20', seconds = '60', down, up } = values;
  const { only = [], seed = '1', peer, node22, json } = values;
  if (values.help === true) {
    console.log(USAGE);
    return undefined;
  }
  const faults = only.length === 0 ? allFaults : [...new Set(only.flatMap(faultsNamed))];
  if (peer !== undefined && peer !== CLIENT_NODE) {
    console.error(`the only peer there is, is ${CLIENT_NODE}`);
    process.exitCode = 1;
    return undefined;
  }
  if (faults.length === 0) {
    console.error(`no fault is named like ${only.join(', ')}; --list names them`);
    process.exitCode = 1;
    return undefined;
  }
  if (values.list === true) {
    for (const fault of faults) console.log(describeFault(fault));
    return undefined;
  }
  const restart = down === undefined || up === undefined ? undefined : { down, up };
  const storms: StormOptions | undefined =
    values.storm === true
      ? { seed, kubeconfig, informers: Number(informers), seconds: Number(seconds), restart }
      : undefined;
  return { faults, seed, peer, node22, json, storms };
}

/** The fault of this name, or, when there is none, those whose names contain it. */
function faultsNamed(name: string): readonly Fault[] {
  const exact = allFaults.find((fault) => fault.name === name);
  return exact === undefined ? allFaults.filter((fault) => fault.name.includes(name)) : [exact];
}

/** Most waits are back-off and silence, so all faults run at the same time. */
async function runAll(
  faults: readonly Fault[],
  kind: ContestantKind,
  seed: string,
  progress: () => void,
): Promise<readonly Verdict[]> {
  const run = async (fault: Fault): Promise<Verdict> => {
    const verdict = await runCase(fault, kind, { seed });
    progress();
    return verdict;
  };
  return await Promise.all(faults.map(run));
}

/** Most of a run is waiting, so its progress is shown. */
function countOnTerminal(total: number): () => void {
  const { stderr } = process;
  let done = 0;
  return () => {
    done += 1;
    if (stderr.isTTY) stderr.write(`\r${done} of ${total} cases${done === total ? '\n' : ''}`);
  };
}

/** The peer as its documentation shows it, and with the restart that the documentation advises. */
async function peerKinds(node22: string | undefined): Promise<readonly ContestantKind[]> {
  const { node20, node22: version2 } = CLIENT_NODE_VERSIONS;
  const first = await kindsOf(node20, process.execPath);
  return node22 === undefined ? first : [...first, ...(await kindsOf(version2, node22))];
}

async function kindsOf(version: string, node: string): Promise<readonly ContestantKind[]> {
  let entry: string;
  try {
    entry = await installClientNode(version);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    console.error(
      `going on without ${CLIENT_NODE} ${version}, which could not be installed: ${reason}`,
    );
    return [];
  }
  const name = `client-node ${version}`;
  return [
    clientNode({ name, entry, node }),
    clientNode({ name: `${name}, restarted`, entry, node, restartMs: PEER_RESTART_MS }),
  ];
}

/** As many at a time as the machine can bear: each is a process. */
async function runPeers(
  faults: readonly Fault[],
  kinds: readonly ContestantKind[],
  seed: string,
  progress: () => void,
): Promise<readonly Verdict[]> {
  const waiting = kinds.flatMap((kind) => faults.map((fault) => ({ kind, fault })));
  const verdicts: Verdict[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      verdicts.push(await runCase(next.fault, next.kind, { seed }));
      progress();
    }
  };
  await Promise.all(Array.from({ length: PEERS_AT_A_TIME }, work));
  return verdicts;
}

function print(verdicts: readonly Verdict[], seed: string): void {
  console.log(heading('listwatch'));
  for (const verdict of verdicts) {
    for (const line of describeVerdict(verdict, layout(seed))) console.log(line);
  }
  const green = verdicts.filter(({ ok }) => ok).length;
  console.log(`${green} of ${verdicts.length} survived; seed ${seed}`);
}

function layout(seed: string): ReportOptions {
  const { isTTY, columns } = process.stdout;
  return { colours: isTTY, width: columns ?? WIDTH_WITHOUT_TERMINAL, seed };
}
