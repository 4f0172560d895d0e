/**
 * `npm run bench:creates -- --kubeconfig FILE`: creates a second through `listwatch serve` in memory and through the kube-apiserver of
 * the kubeconfig: over TLS, in turns, by the same client. Run `npm run build` before. Whether the etcd of the other server flushes each
 * write to its disk decides much, and is not visible from here: say it beside the figures.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { configMap, pod } from './requests.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/cli/listwatch.js');
const ROUNDS = 5;
const WARM_UP = 1500;

interface Work {
  readonly what: string;
  readonly resource: string;
  readonly writers: number;
  readonly creates: number;
  readonly make: (name: string) => object;
}

function podNamed(name: string): object {
  const { spec } = pod(1) as unknown as { readonly spec: object };
  const { nodeName: _scheduled, ...unscheduled } = spec as Record<string, unknown>;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: unscheduled };
}

function configMapNamed(name: string): object {
  const { metadata: _named, ...rest } = configMap(name);
  return { ...rest, metadata: { name } };
}

const MAPS = { what: 'ConfigMap of 1 KB', resource: 'configmaps', make: configMapNamed };
const PODS = { what: 'Pod of 4 KB', resource: 'pods', make: podNamed };
const WORKS: readonly Work[] = [
  { ...MAPS, writers: 1, creates: 500 },
  { ...MAPS, writers: 20, creates: 2000 },
  { ...PODS, writers: 1, creates: 300 },
  { ...PODS, writers: 20, creates: 1000 },
];

class Contestant {
  readonly name: string;
  readonly #target: Target;
  readonly #namespace = `rate-${process.pid}`;
  #made = 0;

  constructor(name: string, target: Target) {
    this.name = name;
    this.#target = target;
  }

  async begin(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } };
    await this.#post('/api/v1/namespaces', namespace);
    for (const work of [MAPS, PODS]) {
      await this.creates({ ...work, writers: 20, creates: WARM_UP });
    }
  }

  /** Creates a second. */
  async creates({ resource, writers, creates, make }: Work): Promise<number> {
    const path = `/api/v1/namespaces/${this.#namespace}/${resource}`;
    let left = creates;
    const startMs = performance.now();
    const writer = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        this.#made += 1;
        await this.#post(path, make(`o-${this.#made}`));
      }
    };
    await Promise.all(Array.from({ length: writers }, writer));
    return (creates * 1000) / (performance.now() - startMs);
  }

  async end(): Promise<void> {
    for (const { resource } of [MAPS, PODS]) {
      const path = `/api/v1/namespaces/${this.#namespace}/${resource}?gracePeriodSeconds=0`;
      await this.#send('DELETE', path);
    }
    await this.#send('DELETE', `/api/v1/namespaces/${this.#namespace}`);
    this.#target.close();
  }

  async #post(path: string, body: object): Promise<void> {
    const { status, bytes } = await this.#send('POST', path, body);
    if (status !== 201) throw new Error(`${this.name}: ${path}: ${status} ${bytes.toString()}`);
  }

  #send(method: string, path: string, body?: object): ReturnType<Target['send']> {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.#target.send({ method, path, headers, body: text, anonymous: false });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
if (values.kubeconfig === undefined) throw new Error('--kubeconfig names a kube-apiserver');
if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: run "npm run build" first`);
const home = await mkdtemp(join(tmpdir(), 'listwatch-creates-'));
const kubeconfig = join(home, 'kubeconfig');
const child = spawn(
  process.execPath,
  [PROGRAM, 'serve', '--port', '0', '--json', '--controllers', 'none', '--kubeconfig', kubeconfig],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  await once(child.stdout, 'data');
  const contestants = [
    new Contestant('listwatch serve', new Target(await targetOfKubeconfig(kubeconfig))),
    new Contestant('kube-apiserver', new Target(await targetOfKubeconfig(values.kubeconfig))),
  ];
  for (const one of contestants) await one.begin();
  console.log(
    `node ${process.version}, creates/s over TLS, median of ${ROUNDS} rounds (least, most)`,
  );
  for (const work of WORKS) {
    const rates = contestants.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, one] of contestants.entries()) rates[at]?.push(await one.creates(work));
    }
    const texts = contestants.map(({ name }, at) => {
      const of = rates[at] ?? [];
      return `${name} ${median(of).toFixed(0)} (${Math.min(...of).toFixed(0)}, ${Math.max(...of).toFixed(0)})`;
    });
    const ratio = median(rates[0] ?? []) / median(rates[1] ?? []);
    const title = `${work.what}, ${work.writers} in flight`;
    console.log(`${title.padEnd(32)} ${texts.join('   ')}   ${ratio.toFixed(2)}x`);
  }
  for (const one of contestants) await one.end();
} finally {
  child.kill('SIGTERM');
  await once(child, 'exit').catch(() => {});
  await rm(home, { recursive: true, force: true });
}
