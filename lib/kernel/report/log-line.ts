import { explainedError } from '../failure/explained-error.ts';
import { errorMessage, isError } from '../failure/errors.ts';
import type { LogFields } from './logger.ts';

/** A line may cut a long cause in the middle. */
const COMPARED_CHARACTERS = 120;

/** A call of a logger as one text: `the text: problem: error (name=value name="two words" count=3)`. */
export interface LogLine {
  readonly line: string;
  /** The same without numbers: two calls with this text are the same. */
  readonly identity: string;
}

/**
 * Formats text and fields. The fields `problem` and `error` follow the text. Values that these have already are left out, as are
 * objects, which could hold anything.
 */
export function logLine(message: string, fields: LogFields = {}): LogLine {
  let text = message;
  const { problem, error } = fields;
  if (typeof problem === 'string') text += `: ${problem}`;
  if (typeof error === 'string' && !text.includes(error)) text += `: ${error}`;
  else if (isError(error) && !isInLine(error, text)) text += `: ${errorMessage(error)}`;
  // The text is constant: a word of it is not the value.
  const cause = text.slice(message.length);
  let values = '';
  let numbers = '';
  for (const [name, given] of Object.entries(fields)) {
    if (name === 'problem' || name === 'error') continue;
    const value = isTexts(given) ? given.join(', ') : given;
    if (isError(value)) {
      if (!isInLine(value, text)) values += ` ${name}=${quoted(errorMessage(value))}`;
    } else if (typeof value === 'number') {
      const shown = rounded(value);
      if (!hasWord(cause, `${shown}`)) numbers += ` ${name}=${shown}`;
    } else if (typeof value === 'boolean') {
      values += ` ${name}=${value}`;
    } else if (typeof value === 'string' && value !== '' && !hasWord(cause, value)) {
      values += ` ${name}=${quoted(value)}`;
    }
  }
  return { line: text + inBrackets(values + numbers), identity: text + inBrackets(values) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function inBrackets(values: string): string {
  return values === '' ? '' : ` (${values.slice(1)})`;
}

function quoted(value: string): string {
  return /[\s"()=]/.test(value) ? JSON.stringify(value) : value;
}

/** Whether a text has a value that is not part of a longer word. */
function hasWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + value.length] ?? ' '}`;
    if (!/[\p{L}\p{N}_-]/u.test(around)) return true;
  }
  return false;
}

/** Whether a line has the text of an error already: all of it or, of an error of a client, its cause without the exchange. */
function isInLine(error: unknown, line: string): boolean {
  if (line.includes(errorMessage(error))) return true;
  const cause = explainedError(error)?.problem.slice(0, COMPARED_CHARACTERS) ?? '';
  return cause !== '' && line.includes(cause);
}

/** Measured milliseconds have a dozen decimals; a log line needs at most one. */
function rounded(value: number): number {
  return Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
