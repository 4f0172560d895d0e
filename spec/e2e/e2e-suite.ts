import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../programs/run-command-line.ts';

interface ReportedSpec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

/** Whether a case passed, and otherwise why it did not. */
export interface CaseOutcome {
  readonly failure: string | undefined;
  readonly seconds: number;
}

export interface SuiteOptions {
  /** The program e2e.test of a Kubernetes release. */
  readonly suite: string;
  /** kubectl for the cases of sig-cli. */
  readonly kubectl: string | undefined;
}

const LIST_LIMIT_SECONDS = 120;
// A case that waits for a pod gives up after five minutes and then removes its namespace.
const CASE_LIMIT_SECONDS = 480;

/** Kubernetes' own conformance cases. Each case runs in a process of its own, so that several can wait at once. */
export class E2eSuite {
  readonly #options: SuiteOptions;

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  /** The names of all conformance cases. */
  async cases(): Promise<string[]> {
    const { specs, how } = await this.#report(['--ginkgo.dry-run'], {
      focus: String.raw`\[Conformance\]`,
      limitSeconds: LIST_LIMIT_SECONDS,
    });
    const names = specs.filter(isCase).map(nameOf);
    if (names.length === 0) throw new Error(`${this.#options.suite} lists no cases: ${how}`);
    return names.toSorted();
  }

  /** Runs one case with a server that has a schedulable node. */
  async run(name: string, { kubeconfig }: { readonly kubeconfig: string }): Promise<CaseOutcome> {
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      '--allowed-not-ready-nodes=-1',
      '--minStartupPods=0',
      ...(this.#options.kubectl === undefined ? [] : [`--kubectl-path=${this.#options.kubectl}`]),
    ];
    const begin = performance.now();
    const { specs, how } = await this.#report(flags, {
      focus: `${escapePattern(name)}$`,
      limitSeconds: CASE_LIMIT_SECONDS,
    });
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const failed = specs.find(({ State }) => !['passed', 'skipped', 'pending'].includes(State));
    if (failed !== undefined) return { failure: failureOf(failed), seconds };
    const passed = specs.some((spec) => isCase(spec));
    return { failure: passed ? undefined : (skippedBy(specs, name) ?? how), seconds };
  }

  async #report(
    flags: readonly string[],
    { focus, limitSeconds }: { readonly focus: string; readonly limitSeconds: number },
  ): Promise<{ readonly specs: readonly ReportedSpec[]; readonly how: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'e2e-'));
    try {
      const report = join(folder, 'report.json');
      const { how } = await runCommandLine(
        [
          this.#options.suite,
          ...flags,
          `--ginkgo.focus=${focus}`,
          '--ginkgo.no-color',
          `--ginkgo.json-report=${report}`,
        ],
        { folder, limitSeconds },
      );
      const text = await readFile(report, 'utf8').catch(() => '[]');
      const suites = JSON.parse(text) as readonly { SpecReports: readonly ReportedSpec[] | null }[];
      return { specs: suites.flatMap(({ SpecReports }) => SpecReports ?? []), how };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function isCase({ LeafNodeType, State }: ReportedSpec): boolean {
  return LeafNodeType === 'It' && State === 'passed';
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText }: ReportedSpec): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
}

function skippedBy(specs: readonly ReportedSpec[], name: string): string | undefined {
  const spec = specs.find((one) => one.Failure !== undefined && nameOf(one) === name);
  return spec === undefined ? undefined : failureOf(spec);
}

function failureOf({ State, Failure }: ReportedSpec): string {
  return `${State}: ${Failure?.Message ?? 'no message'}`.replaceAll(/\s+/g, ' ');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
