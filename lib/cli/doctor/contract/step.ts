import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { DoctorOptions } from './doctor-options.ts';
import type { Findings } from './findings.ts';
import type { Network } from './network.ts';

export type StepStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** The result of a step. */
export interface Outcome {
  readonly status: StepStatus;
  /** One line: what was found, or the one cause of the failure. Never a secret. */
  readonly detail: string;
  /** One line: what to type or to edit. Each failure and each warning has one. */
  readonly remedy?: string | undefined;
  /** The stable code of the failure; see `docs/errors.md`. */
  readonly code?: string | undefined;
  /** Figures and names for programs, JSON. Never a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** The input of a step. */
export interface DoctorContext {
  readonly options: DoctorOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly runtime: Runtime;
  readonly userAgent: string;
  readonly network: Network;
  /** The results of earlier steps. A step writes its own. */
  readonly findings: Findings;
  /** Aborts when the time of the step is up, or the user interrupts. */
  readonly signal: AbortSignal;
}

export interface Step {
  /** Stable, e.g. `tls` or `list/pods`. */
  readonly id: string;
  readonly title: string;
  /** Steps that must have ended well, or have had nothing to do. */
  readonly needs: readonly string[];
  /** Stops when the signal aborts. A thrown error is a failure with its message and code. */
  run(context: DoctorContext): Outcome | Promise<Outcome>;
}

/** A step that has run, or was skipped. */
export interface StepResult extends Outcome {
  readonly id: string;
  readonly title: string;
  readonly durationMs: number;
}
