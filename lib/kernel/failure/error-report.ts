import { errorMessage, isError, isListwatchError, type ErrorCode } from './errors.ts';

/** A limit is needed: a chain of causes can be a cycle, and an AggregateError can have thousands of errors. */
const MOST_ERRORS = 16;
const DEEPEST_CAUSE = 8;
const MOST_FRAMES = 50;
const LONGEST_LINE = 1_000;

/** Codes of errors that user code threw, or whose stack has to be reported. */
const WITH_STACK: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'HANDLER',
  'RECONCILE',
  'TRANSFORM',
  'INDEX_FUNCTION',
  'ASSERTION',
]);

/**
 * An error with its stack, its causes and the errors of an `AggregateError`, as lines: up to 16 errors of 50 frames each. Empty
 * for an error of this package whose message says everything. Never throws.
 */
export function errorReport(error: unknown): readonly string[] {
  if (!isError(error)) return [];
  const report = new ErrorReport();
  if (!isListwatchError(error)) report.add(error, '', 0);
  else if (error.code === 'ASSERTION') report.add(error, '', 0);
  else if (WITH_STACK.has(error.code)) report.addCauses(error, 0);
  return report.lines;
}

class ErrorReport {
  readonly lines: string[] = [];
  readonly #seen = new Set<object>();

  /** `label`: how it is related to the error before it. */
  add(error: unknown, label: string, depth: number): void {
    if (this.#seen.size >= MOST_ERRORS || depth > DEEPEST_CAUSE) {
      if (this.lines.at(-1) !== '…') this.lines.push('…');
      return;
    }
    if (!isError(error)) {
      this.#push(`${label}${errorMessage(error)}`, depth);
      return;
    }
    if (this.#seen.has(error)) {
      this.#push(`${label}${errorMessage(error)} (shown above)`, depth);
      return;
    }
    this.#seen.add(error);
    const { title, frames } = readStack(error);
    this.#push(`${label}${title}`, depth);
    for (const frame of frames) this.#push(`    ${frame}`, depth);
    this.addCauses(error, depth + 1);
  }

  addCauses(error: Error, depth: number): void {
    const { cause, errors } = linksOf(error);
    const list = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
    for (const [index, one] of list.entries()) {
      if (this.#seen.size >= MOST_ERRORS) {
        this.#push(`… and ${list.length - index} more`, depth);
        break;
      }
      this.add(one, `${index + 1} of ${list.length}: `, depth);
    }
    const label = depth === 0 ? '' : 'caused by: ';
    if (cause !== undefined) this.add(cause, label, depth);
  }

  #push(line: string, depth: number): void {
    // A message with a line break must not look like a line of the log.
    const clean = line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, LONGEST_LINE);
    this.lines.push('  '.repeat(depth) + clean);
  }
}

function linksOf(error: Error): { readonly cause?: unknown; readonly errors?: unknown } {
  try {
    const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
    return { cause, errors };
  } catch {
    return {};
  }
}

function readStack(error: Error): { readonly title: string; readonly frames: readonly string[] } {
  try {
    const frames = (error.stack ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^at .*\d/.test(line));
    const code = isListwatchError(error) ? ` [${error.code}]` : '';
    return {
      title: `${error.name}${code}: ${errorMessage(error)}`,
      frames: frames.slice(0, MOST_FRAMES),
    };
  } catch {
    return { title: errorMessage(error), frames: [] };
  }
}
