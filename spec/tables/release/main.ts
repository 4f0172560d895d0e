/**
 * Reports how a release of Kubernetes differs from a version that the tables have, as work to do: `npm run check -- kubernetes-release`.
 * It writes nothing into the repository. docs/kubernetes-releases.md says how the report is used.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import {
  KUBERNETES_VERSIONS,
  minorOf,
  type KubernetesMinor,
} from '../../../lib/meta/releases/kubernetes-releases.ts';
import { Target, targetOfKubeconfig } from '../../compare/target/target.ts';
import { gateChanges } from './gate-changes.ts';
import { ruleChanges } from './rule-changes.ts';
import { surfaceChanges } from './surface-changes.ts';
import { typeChanges } from './type-changes.ts';

/** One part of the report: what changed, a line each. */
export interface ReportPart {
  readonly title: string;
  /** The work that the lines ask for. */
  readonly remedy: string;
  readonly lines: readonly string[];
}

const USAGE = `npm run check -- kubernetes-release [options]

  --release VERSION  the release, such as v1.38.0: its feature gates and types are read from the Go modules
  --modules DIR      a Go module cache with k8s.io/kubernetes, api, apiserver, ... of the release; $HOME/go/pkg/mod unless given
  --kubeconfig FILE  a new kube-apiserver of the release, with --allow-privileged: its resources, columns, roles, documents and rules
  --from VERSION     the version that it is compared with: one of ${KUBERNETES_VERSIONS.join(', ')}; the newest unless given
  --most N           lines of each part; 40 unless given
  --out FILE         writes the whole report, in Markdown
  --help             shows this

At least one of --release and --kubeconfig has to be given.`;

const { values } = parseArgs({
  options: {
    release: { type: 'string' },
    modules: { type: 'string', default: join(process.env['HOME'] ?? '', 'go/pkg/mod') },
    kubeconfig: { type: 'string' },
    from: { type: 'string' },
    most: { type: 'string', default: '40' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || (values.release === undefined && values.kubeconfig === undefined)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else await report();

async function report(): Promise<void> {
  const from = fromOf(values.from);
  const parts: ReportPart[] = [];
  const add = async (make: () => ReportPart[] | Promise<ReportPart[]>): Promise<void> => {
    const startMs = performance.now();
    for (const part of await make()) {
      parts.push(part);
      print(part, Number(values.most));
    }
    console.log(`  (${((performance.now() - startMs) / 1000).toFixed(1)} s)`);
  };
  const { release, modules, kubeconfig } = values;
  if (release !== undefined) {
    await add(() => [gateChanges(modules, release, from)]);
    await add(() => [typeChanges(modules, release, from)]);
  }
  if (kubeconfig !== undefined) {
    const target = new Target(await targetOfKubeconfig(kubeconfig));
    try {
      await add(() => surfaceChanges(target, from));
      await add(async () => [await ruleChanges(target, from)]);
    } finally {
      target.close();
    }
  }
  if (values.out !== undefined) await writeFile(values.out, markdown(parts, from));
}

function fromOf(text: string | undefined): KubernetesMinor {
  const version = KUBERNETES_VERSIONS.find((one) => one === (text ?? KUBERNETES_VERSIONS.at(-1)));
  if (version === undefined) throw new Error(`--from is one of ${KUBERNETES_VERSIONS.join(', ')}`);
  return minorOf(version);
}

function print({ title, remedy, lines }: ReportPart, most: number): void {
  console.log(`\n${title}: ${lines.length}${lines.length === 0 ? '' : `. ${remedy}`}`);
  for (const line of lines.slice(0, most)) console.log(`  ${line}`);
  if (lines.length > most) console.log(`  and ${lines.length - most} more`);
}

function markdown(parts: readonly ReportPart[], from: KubernetesMinor): string {
  const sections = parts.map(
    ({ title, remedy, lines }) =>
      `## ${title}: ${lines.length}\n\n${lines.length === 0 ? 'Nothing.' : `${remedy}\n\n${lines.map((line) => `- [ ] \`${line.replaceAll('`', "'")}\``).join('\n')}`}\n`,
  );
  return `# Changes since Kubernetes 1.${from}\n\n${sections.join('\n')}`;
}
