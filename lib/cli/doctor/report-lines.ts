import type { Output } from '../contract/command.ts';
import type { Style } from '../terminal/style.ts';
import { timeText } from '../terminal/shown-text.ts';
import type { Step, StepResult, StepStatus } from './contract/step.ts';
import type { Progress } from './run-steps.ts';

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

/** Begins the line again, and clears it to its end. */
const REPLACE_LINE = '\r\u001b[K';

export interface ReportLinesOptions {
  readonly output: Output;
  readonly style: Style;
  /** The titles are padded to the longest one. */
  readonly steps: readonly Step[];
  /** Also prints the data of each step. */
  readonly verbose: boolean;
}

/** Prints one line a step, and one for all steps that a failure skips. On a terminal the line is there while the step runs. */
export class ReportLines implements Progress {
  readonly #output: Output;
  readonly #style: Style;
  readonly #verbose: boolean;
  readonly #width: number;
  /** Skipped steps that follow each other for one reason. */
  #skipped: StepResult[] = [];

  constructor({ output, style, steps, verbose }: ReportLinesOptions) {
    this.#output = output;
    this.#style = style;
    this.#verbose = verbose;
    this.#width = Math.max(0, ...steps.map(({ title }) => title.length));
  }

  began({ title }: Step): void {
    // The line of a step that runs is not ended, so nothing may be written behind it.
    this.#flush();
    if (!this.#style.replacesLines) return;
    this.#output.write(`${this.#style.mark('running')} ${title}`);
  }

  ended(result: StepResult): void {
    const isSkipped = result.status === 'skipped';
    if (!isSkipped || this.#skipped[0]?.detail !== result.detail) this.#flush();
    if (isSkipped) this.#skipped.push(result);
    else this.#print(result);
  }

  /** One step as the line of a step, several with their titles. */
  #flush(): void {
    const [first, ...others] = this.#skipped;
    this.#skipped = [];
    if (first === undefined) return;
    if (others.length === 0) {
      this.#print(first);
      return;
    }
    const style = this.#style;
    const titles = [first, ...others].map(({ title }) => title).join(', ');
    const name = `${others.length + 1} steps`.padEnd(this.#width);
    const why = first.detail.replace(/^it needs /, 'they need ');
    const text = style.paint('gray', `skipped: ${why}: ${titles}`);
    this.#output.write(`${style.mark('skipped')} ${name}  ${style.text(text)}\n`);
  }

  #print({ status, title, detail, remedy, durationMs, data }: StepResult): void {
    const style = this.#style;
    const start = style.replacesLines ? REPLACE_LINE : '';
    const name = title.padEnd(this.#width);
    const took = status === 'skipped' ? '' : ` ${style.paint('gray', `[${timeText(durationMs)}]`)}`;
    const text = status === 'skipped' ? style.paint('gray', `skipped: ${detail}`) : detail;
    this.#output.write(`${start}${style.mark(status)} ${name}  ${style.text(text)}${took}\n`);
    const indent = ' '.repeat(style.markWidth + this.#width + 3);
    if (remedy !== undefined)
      this.#output.write(`${indent}${style.paint('bold', '->')} ${style.text(remedy)}\n`);
    if (!this.#verbose || data === undefined) return;
    for (const [key, value] of Object.entries(data)) {
      if (value === undefined) continue;
      this.#output.write(`${indent}${style.paint('gray', `${key}: ${JSON.stringify(value)}`)}\n`);
    }
  }

  summary(results: readonly StepResult[], interrupted: boolean): void {
    this.#flush();
    const failed = results.filter(({ status }) => status === 'failed');
    const warnings = results.filter(({ status }) => status === 'warning');
    const style = this.#style;
    const text = interrupted
      ? style.paint('yellow', 'interrupted')
      : failed.length > 0
        ? style.paint('red', `failed: ${failed.map(({ title }) => title).join(', ')}`)
        : warnings.length > 0
          ? style.paint(
              'yellow',
              `works, with warnings: ${warnings.map(({ title }) => title).join(', ')}`,
            )
          : style.paint('green', 'all is well');
    this.#output.write(`\n${text}\n`);
  }
}
