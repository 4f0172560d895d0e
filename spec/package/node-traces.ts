import { ROOT } from './manifest.ts';
import { run } from './packed-package.ts';

const PROGRAM = 'spec/simulator/traces/main.ts';

/** Controllers that differ in what they use: leases, pods of a StatefulSet, custom resources, and the clocks and timers of Node. */
const SAMPLE = [
  'cluster-api-10655',
  'strimzi-8401',
  'cilium-42920',
  'cert-manager-4956',
  'kubernetes-67662',
  'zookeeper-314',
  'stale-cache',
  'site-operator',
  'ambient',
] as const;

/** Places that have another date and other names for it at most times, one for each version of Node. */
const PLACES = [
  { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' },
  { TZ: 'America/St_Johns', LANG: 'de_DE.UTF-8' },
  { TZ: 'Pacific/Pago_Pago', LANG: 'C' },
  { TZ: 'Asia/Kathmandu', LANG: 'fr_CA.UTF-8' },
] as const;

/**
 * Compares the traces of simulated controllers on several versions of Node, each in another time zone and language: the first version
 * says what the others have to print.
 */
export class NodeTraces {
  readonly #parameters: readonly string[];
  #expected: readonly string[] | undefined;
  #runs = 0;

  /** `all`: each controller of the corpus and of `examples/`; otherwise a few of them. */
  constructor(all: boolean) {
    this.#parameters = all ? [] : ['--only', SAMPLE.join(',')];
  }

  /** Runs them with this program of Node. Returns what is different, or undefined. @throws when a run fails. */
  async difference(node: string): Promise<string | undefined> {
    const place = PLACES[this.#runs % PLACES.length];
    this.#runs += 1;
    const parameters = ['--conditions=@listwatch/source', '--import', 'tsx', PROGRAM];
    const env = { ...process.env, ...place };
    const { stdout } = await run(node, [...parameters, ...this.#parameters], { cwd: ROOT, env });
    const lines = stdout.trim().split('\n');
    this.#expected ??= lines;
    const line = this.#expected.find((one, index) => one !== lines[index]);
    if (line === undefined && lines.length === this.#expected.length) return undefined;
    const name = line?.split(' ', 1)[0] ?? '';
    return (
      `the traces of ${name} are not those of the first version of Node; ` +
      `\`node ${parameters.join(' ')} --only ${name} --print\` on both shows where they differ`
    );
  }

  /** How many controllers were compared. */
  get controllers(): number {
    return this.#expected?.length ?? 0;
  }
}
