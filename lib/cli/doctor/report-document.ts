import type { StepResult, StepStatus } from './contract/step.ts';

/** A step in the document of `listwatch doctor --json`. */
export interface ReportStep {
  /** Stable, e.g. `tls` or `list/pods`. */
  readonly id: string;
  readonly title: string;
  readonly status: StepStatus;
  readonly durationMs: number;
  readonly detail: string;
  /** With each failure and each warning. */
  readonly remedy?: string | undefined;
  /** The code of the failure; see `docs/errors.md`. */
  readonly code?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The output of `listwatch doctor --json`: one document, at the end. New fields may come; the present ones stay. */
export interface ReportDocument {
  /** 1. Another number is another shape. */
  readonly format: number;
  /** The version of the package. */
  readonly version: string;
  /** Whether no step failed, and all have run. */
  readonly ok: boolean;
  readonly interrupted: boolean;
  /** In the order in which they ran. */
  readonly steps: readonly ReportStep[];
}

export function reportDocument(
  results: readonly StepResult[],
  { version, interrupted }: { readonly version: string; readonly interrupted: boolean },
): ReportDocument {
  return {
    format: 1,
    version,
    ok: !interrupted && results.every(({ status }) => status !== 'failed'),
    interrupted,
    steps: results.map(({ id, title, status, durationMs, detail, remedy, code, data }) => ({
      id,
      title,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      detail,
      remedy,
      code,
      data: data ?? {},
    })),
  };
}
