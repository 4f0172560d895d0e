import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGinkgoReport } from '../programs/ginkgo-report.ts';
import type { StepOutcome } from '../programs/program.ts';
import { runCommandLine } from '../programs/run-command-line.ts';

export interface SuiteOptions {
  /** The program e2e.test of a Kubernetes release. */
  readonly suite: string;
  /** kubectl for the cases of sig-cli. */
  readonly kubectl: string | undefined;
}

interface RunOptions {
  /** A pattern for the names of the cases. */
  readonly focus: string;
  readonly limitSeconds: number;
}

const LIST_LIMIT_SECONDS = 120;
// One case waits until the history of its lists is compacted, which takes up to ten minutes.
const CASE_LIMIT_SECONDS = 900;

/** Kubernetes' own conformance cases. Each case runs in a process of its own, so that several can wait at once. */
export class E2eSuite {
  readonly #options: SuiteOptions;

  constructor(options: SuiteOptions) {
    this.#options = options;
  }

  /** The names of all conformance cases. */
  async cases(): Promise<string[]> {
    const { outcomes, how } = await this.#run(['--ginkgo.dry-run'], {
      focus: String.raw`\[Conformance\]`,
      limitSeconds: LIST_LIMIT_SECONDS,
    });
    if (outcomes.length === 0) throw new Error(`${this.#options.suite} lists no cases: ${how}`);
    // The first part is the name of the suite.
    return outcomes.map(({ step }) => step.split(' > ').slice(1).join(' ')).toSorted();
  }

  /** Runs one case with a server that has a schedulable node. Returns why it failed; undefined when it passed. */
  async run(name: string, kubeconfig: string): Promise<string | undefined> {
    const { kubectl } = this.#options;
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      '--allowed-not-ready-nodes=-1',
      '--minStartupPods=0',
      ...(kubectl === undefined ? [] : [`--kubectl-path=${kubectl}`]),
    ];
    const { outcomes, how } = await this.#run(flags, {
      focus: `${name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`,
      limitSeconds: CASE_LIMIT_SECONDS,
    });
    // A case that was cut off or skipped itself has no outcome.
    if (outcomes.length === 0) return how;
    return outcomes.find(({ failure }) => failure !== undefined)?.failure;
  }

  async #run(
    flags: readonly string[],
    { focus, limitSeconds }: RunOptions,
  ): Promise<{ readonly outcomes: readonly StepOutcome[]; readonly how: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'e2e-'));
    try {
      const report = join(folder, 'report.json');
      const ginkgo = [`--ginkgo.focus=${focus}`, '--ginkgo.no-color'];
      const { how } = await runCommandLine(
        [this.#options.suite, ...flags, ...ginkgo, `--ginkgo.json-report=${report}`],
        { folder, limitSeconds },
      );
      const text = await readFile(report, 'utf8').catch(() => '[]');
      return { outcomes: readGinkgoReport(text), how };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
