/** How the outcomes of a program are read. */
export type OutputKind =
  /** Lines `STEP ok NAME`, `STEP failed NAME: MESSAGE`, and `STEP end` as the last. */
  | 'steps'
  /** Ginkgo's JSON reports, `*.report.json` in the folder of the program. */
  | 'ginkgo';

export type CommandLine = readonly [program: string, ...parameters: string[]];

/** `charts`: a folder, in PROGRAM_CHARTS. `kubectl`: that program, in PROGRAM_KUBECTL. */
export type ProgramInput = 'charts' | 'kubectl';

/** A client program: unchanged packages, and steps that use them. */
export interface Program {
  readonly name: string;
  /** The packages and their versions. */
  readonly about: string;
  /** Programs that have to be on the PATH. */
  readonly tools: readonly string[];
  /** The folder of its sources, below this one. */
  readonly source: string;
  /** Files of other programs that it has too, below this folder. */
  readonly shared?: readonly string[];
  /** The folder in the work directory into which the sources are copied; programs with the same packages share one. */
  readonly folder: string;
  /** Installs the packages and builds; run in the folder, once. */
  readonly install: readonly CommandLine[];
  /** Runs the steps, one command after the other; the folder is the current one. */
  readonly run: readonly CommandLine[];
  readonly output: OutputKind;
  /** After this time a command of `run` is ended; 600 seconds unless given. */
  readonly limitSeconds?: number;
  /** It leaves objects behind and counts those that are there: never run with the server of a kubeconfig. */
  readonly needsEmptyServer?: boolean;
  /** Its pods have to run: the embedded server gets the controllers of workloads and three nodes. Never run with the server of a kubeconfig. */
  readonly needsWorkloads?: boolean;
  /** The parts that the caller gives. */
  readonly inputs?: readonly ProgramInput[];
}

export interface StepOutcome {
  readonly step: string;
  /** The failure; undefined when the step passed. */
  readonly failure: string | undefined;
}

/** One program with one server. */
export interface ProgramOutcome {
  readonly steps: readonly StepOutcome[];
  readonly seconds: number;
}
