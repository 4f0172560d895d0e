import { LRUCache } from 'lru-cache';
import { errorMessage } from './errors.ts';
import type { LogFields, Logger } from './logger.ts';
import { realRuntime } from './real-runtime.ts';
import type { Runtime } from './runtime.ts';

export interface ConsoleLoggerOptions {
  /** @defaultValue realRuntime */
  readonly runtime?: Pick<Runtime, 'monotonicMs'> | undefined;
  /** Takes a line, without its end. @defaultValue console.error: standard error */
  readonly write?: ((line: string) => void) | undefined;
}

/** A line that comes again is held back for this long, then for twice as long, and so on. */
const FIRST_DISTANCE_MS = 10_000;
const LONGEST_DISTANCE_MS = 600_000;
/** Different lines remembered; the one that was not seen for longest goes first. */
const REMEMBERED_LINES = 500;
const LONGEST_LINE = 4_000;

interface SeenLine {
  distanceMs: number;
  nextAtMs: number;
  lastAtMs: number;
  heldBack: number;
}

/**
 * Writes warnings and errors to standard error, each as one line, and nothing else.
 *
 * Guarantees:
 * - A line that comes again and again (only delays in it may differ) is written at growing distances, from 10 seconds to 10
 *   minutes, with the number of those held back; after 10 minutes without it, it is new.
 * - A line holds messages and plain values, never a stack, an object or a control character.
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
    this.#print(`listwatch: ${lineOf(message, fields)}`);
  }

  error(message: string, fields?: LogFields): void {
    this.#print(`listwatch: error: ${lineOf(message, fields)}`);
  }

  #print(line: string): void {
    const nowMs = this.#runtime.monotonicMs();
    const same = line.replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'a while');
    const seen = this.#seen.get(same);
    if (seen === undefined || nowMs - seen.lastAtMs >= LONGEST_DISTANCE_MS) {
      this.#seen.set(same, {
        distanceMs: FIRST_DISTANCE_MS,
        nextAtMs: nowMs + FIRST_DISTANCE_MS,
        lastAtMs: nowMs,
        heldBack: 0,
      });
      this.#write(line);
      return;
    }
    seen.lastAtMs = nowMs;
    if (nowMs < seen.nextAtMs) {
      seen.heldBack += 1;
      return;
    }
    seen.distanceMs = Math.min(seen.distanceMs * 2, LONGEST_DISTANCE_MS);
    seen.nextAtMs = nowMs + seen.distanceMs;
    const { heldBack } = seen;
    seen.heldBack = 0;
    this.#write(heldBack === 0 ? line : `${line} (and ${heldBack} times since the last such line)`);
  }
}

/** The default logger: warnings and errors, on standard error. */
export const consoleLogger: Logger = new ConsoleLogger();

function writeToStandardError(line: string): void {
  // oxlint-disable-next-line no-console -- this is what the logger is for
  console.error(line);
}

function lineOf(message: string, fields: LogFields = {}): string {
  let text = message;
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) {
      // As a rule the message tells what the error says.
      const told = errorMessage(value);
      if (!text.includes(told)) text += ` ${name}=${told}`;
    } else if (isPlain(value)) {
      text += ` ${name}=${value}`;
    }
  }
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
