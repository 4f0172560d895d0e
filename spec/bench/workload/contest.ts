import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchSize } from '../bench.ts';
import { lastLineOf } from './child-process.ts';
import { measure, type ContestantArgument, type ContestantResult } from './contestant.ts';
import { CACHE_MODES, ours } from './ours.ts';
import { plainNode } from './plain-node.ts';
import { PodBodies } from './pod-bodies.ts';
import { nowUs } from './pods.ts';
import { BENCH_FOLDER, clientGo, clientNodes, program, protobufFile } from './programs.ts';
import { StaticServer } from './static-server.ts';
import type { StaticServerArgument } from './static-server-main.ts';

/** One program in one way of running it. */
export interface ContestantOf {
  readonly name: string;
  readonly command: () => { readonly command: string; readonly args: readonly string[] };
  /** The same in this process, for tiny runs; undefined for what runs only by itself. */
  readonly inProcess?: typeof ours | typeof plainNode | undefined;
  readonly variant: string;
  readonly listWatch?: boolean | undefined;
  /** Of the events; for contestants that are so slow that a part of them says how fast they are. @defaultValue 1 */
  readonly share?: number | undefined;
}

/** The workload of a contest, without its contestants. */
export type Contest = Pick<
  ContestantArgument,
  'workload' | 'objects' | 'events' | 'targets' | 'handlers' | 'reads' | 'indexes'
>;

export interface Outcome {
  readonly contestant: string;
  readonly result: ContestantResult;
}

/** The server of a contest, somewhere. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/** Texts that names of contestants must have one of, with a line end after each, in the environment of the runs. */
const WHO_VARIABLE = 'LISTWATCH_BENCH_WHO';

/** From now on, also in processes that are started: only contestants with one of these texts in their names. */
export function takeOnly(who: readonly string[]): void {
  process.env[WHO_VARIABLE] = who.join('\n');
}

function chosen(contestants: readonly ContestantOf[]): ContestantOf[] {
  const who = process.env[WHO_VARIABLE]?.split('\n');
  return contestants.filter(
    ({ name }) => who === undefined || who.some((text) => name.includes(text)),
  );
}

/** This package, as it is without options. */
export const OWN: ContestantOf = {
  name: 'ours',
  command: () => nodeProgram('ours.ts'),
  inProcess: ours,
  variant: 'default',
};

/** This package, in every way it keeps objects. */
export function ownContestants(): ContestantOf[] {
  return chosen(CACHE_MODES.map((variant) => ({ ...OWN, name: `ours, ${variant}`, variant })));
}

/** Those to compare it with that can be had. `size` tiny: those that need nothing. */
export function peers(size: BenchSize): ContestantOf[] {
  const plain = ['parse', 'scan'].map((variant) => ({
    name: `plain Node, ${variant}`,
    command: () => nodeProgram('plain-node.ts'),
    inProcess: plainNode,
    variant,
  }));
  if (size === 'tiny') return chosen(plain);
  const nodes = clientNodes().map(
    ({ version, folder, node }): ContestantOf => ({
      name: `client-node ${version}`,
      command: () => nodeProgram('../peers/client-node/contestant.ts', node),
      variant: folder,
    }),
  );
  const built = clientGo();
  const go = (variant: string, share: number, listWatch?: boolean): ContestantOf => ({
    name: `client-go, ${variant}${listWatch === true ? ', list+watch' : ''}`,
    command: () => ({ command: built ?? '', args: ['contestant'] }),
    variant,
    share,
    listWatch,
  });
  return chosen([
    ...plain,
    ...nodes,
    ...(built === undefined
      ? []
      : [
          go('typed-protobuf', 1),
          go('typed-json', 0.1),
          go('typed-json', 0.1, true),
          // The slowest of all is for those who have time.
          ...(size === 'full' ? [go('dynamic-json', 0.1)] : []),
        ]),
  ]);
}

/** Lets one after the other do the same with a server that is the same for all. */
export async function contest(
  size: BenchSize,
  contestants: readonly ContestantOf[],
  contests: Contest | readonly Contest[],
): Promise<Outcome[]> {
  const all = Array.isArray(contests) ? (contests as readonly Contest[]) : [contests as Contest];
  const most = Math.max(...all.map(({ objects }) => objects));
  await using server = await (size === 'tiny' ? serverHere(most) : serverProcess(most));
  const outcomes: Outcome[] = [];
  for (const one of all) {
    await fetch(`${server.url}/control/objects?count=${one.objects}`, { method: 'POST' });
    for (const contestant of contestants) {
      const { name, variant, listWatch, share = 1 } = contestant;
      const events = Math.max(1, Math.round(one.events * share));
      const epochUs = nowUs();
      const argument = { ...one, server: server.url, variant, listWatch, events, epochUs };
      if (size !== 'tiny') process.stderr.write(`  ${name}\n`);
      outcomes.push({ contestant: name, result: await resultOf(size, contestant, argument) });
    }
  }
  return outcomes;
}

/** A server of pods in JSON, which needs nothing built: in a process of its own unless the run is tiny. */
export function podServer(size: BenchSize, objects: number): Promise<RunningServer> {
  if (size === 'tiny') return serverHere(objects);
  const main = ['--import', 'tsx', join(import.meta.dirname, 'static-server-main.ts')];
  return started(main, { objects, folder: BENCH_FOLDER });
}

async function resultOf(
  size: BenchSize,
  { name, inProcess, command }: ContestantOf,
  argument: ContestantArgument,
): Promise<ContestantResult> {
  if (size === 'tiny') {
    if (inProcess === undefined) throw new Error(`${name} runs only by itself`);
    return await measure(argument, inProcess);
  }
  const { command: path, args } = command();
  return await lastLineOf<ContestantResult>(path, [...args, JSON.stringify(argument)]);
}

function nodeProgram(
  source: string,
  node: string = process.execPath,
): { command: string; args: readonly string[] } {
  return { command: node, args: ['--expose-gc', program(source)] };
}

async function serverHere(objects: number): Promise<RunningServer> {
  const server = new StaticServer({ json: PodBodies.make(objects), objects });
  const url = await server.listen();
  return { url, [Symbol.asyncDispose]: () => server.close() };
}

async function serverProcess(objects: number): Promise<RunningServer> {
  return await started([program('static-server-main.ts')], {
    objects,
    folder: BENCH_FOLDER,
    protobufFile: await protobufFile(objects),
  });
}

async function started(
  main: readonly string[],
  argument: StaticServerArgument,
): Promise<RunningServer> {
  const args = [...main, JSON.stringify(argument)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exit.then(() => undefined)]);
  lines.close();
  if (first === undefined) throw new Error('the static server did not start');
  return {
    ...(JSON.parse(String(first[0])) as { url: string }),
    async [Symbol.asyncDispose]() {
      // It ends when its channel is closed.
      child.stdin.end();
      await exit;
    },
  };
}
