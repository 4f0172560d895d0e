import { LRUCache } from 'lru-cache';
import { errorReport } from '../failure/error-report.ts';
import { logLine } from './log-line.ts';
import type { LogFields, Logger } from './logger.ts';
import { realRuntime } from '../time/real-runtime.ts';
import type { Runtime } from '../time/runtime.ts';

export interface ConsoleLoggerOptions {
  /** @defaultValue realRuntime */
  readonly runtime?: Pick<Runtime, 'monotonicMs'> | undefined;
  /** Takes a line, without its end; called for each line of a stack. @defaultValue console.error: standard error */
  readonly write?: ((line: string) => void) | undefined;
}

/** A line that comes again is held back for this long, then for twice as long, and so on. */
const FIRST_DISTANCE_MS = 10_000;
const LONGEST_DISTANCE_MS = 600_000;
/** Maximum number of different lines remembered; the least recently seen one is dropped first. */
const REMEMBERED_LINES = 500;
const LONGEST_LINE = 4_000;

interface SeenLine {
  distanceMs: number;
  nextAtMs: number;
  lastAtMs: number;
  heldBack: number;
  times: number;
}

/** The output of one call. */
interface Entry {
  readonly line: string;
  /** Entries with the same text are the same, even if their numbers differ. */
  readonly identity: string;
  /** The error, with its stack. */
  readonly report: readonly string[];
}

/**
 * Writes warnings and errors to standard error, each as one line: the text, the error, and the other fields in brackets. If the error was thrown by user code (`reconcile`, handlers,
 * hooks, index functions), its stack follows below the line.
 *
 * Guarantees:
 * - A repeated line is written at growing distances, from 10 seconds to 10 minutes, with the number of lines held back. Two
 *   lines are the same if they differ only in delays and in fields that are numbers. After 10 minutes without it, a line is new.
 * - The stack of an error is written with its line the first time. After that, only the line is written, with the number of
 *   times so far. Two errors are the same if line, message and place are. The 500 lines seen last are remembered.
 * - A line contains messages and plain values, never an object or a control character. Lines of a stack are indented.
 */
export class ConsoleLogger implements Logger {
  readonly #runtime: Pick<Runtime, 'monotonicMs'>;
  readonly #write: (line: string) => void;
  readonly #seen = new LRUCache<string, SeenLine>({ max: REMEMBERED_LINES });

  constructor({ runtime = realRuntime, write = writeToStandardError }: ConsoleLoggerOptions = {}) {
    this.#runtime = runtime;
    this.#write = write;
  }

  debug(): void {}

  info(): void {}

  warn(message: string, fields?: LogFields): void {
    this.#print(entryOf(`listwatch: ${message}`, fields, []));
  }

  error(message: string, fields?: LogFields): void {
    const report = errorReport(fields?.['error']);
    this.#print(entryOf(`listwatch: error: ${message}`, fields, report));
  }

  #print({ line, identity, report }: Entry): void {
    const nowMs = this.#runtime.monotonicMs();
    const seen = this.#seen.get(identity);
    if (seen === undefined || nowMs - seen.lastAtMs >= LONGEST_DISTANCE_MS) {
      this.#seen.set(identity, {
        distanceMs: FIRST_DISTANCE_MS,
        nextAtMs: nowMs + FIRST_DISTANCE_MS,
        lastAtMs: nowMs,
        heldBack: 0,
        times: 1,
      });
      this.#write(line);
      for (const one of report) this.#write(`    ${one}`);
      return;
    }
    seen.lastAtMs = nowMs;
    seen.times += 1;
    if (nowMs < seen.nextAtMs) {
      seen.heldBack += 1;
      return;
    }
    seen.distanceMs = Math.min(seen.distanceMs * 2, LONGEST_DISTANCE_MS);
    seen.nextAtMs = nowMs + seen.distanceMs;
    const { heldBack, times } = seen;
    seen.heldBack = 0;
    if (report.length > 0) this.#write(`${line} (${times} times by now)`);
    else if (heldBack === 0) this.#write(line);
    else this.#write(`${line} (and ${heldBack} times since the last such line)`);
  }
}

/** The default logger of everything in this package: warnings and errors, on standard error. */
export const consoleLogger: Logger = new ConsoleLogger();

function writeToStandardError(line: string): void {
  // oxlint-disable-next-line no-console -- this is what the logger is for
  console.error(line);
}

function entryOf(message: string, fields: LogFields | undefined, report: readonly string[]): Entry {
  const { line, identity } = logLine(message, fields);
  const same = identity.replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'a while');
  // The message of an error, and the place where it was thrown.
  return { line: oneLine(line), identity: [same, ...report.slice(0, 2)].join('\n'), report };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}
