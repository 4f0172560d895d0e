import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import { guardedLogger } from '../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../kernel/time/wait.ts';
import { readTextFile, unreadable } from './read-text-file.ts';

export interface WatchedFilesOptions<V> {
  /** The files that form the value, read together. */
  readonly paths: readonly string[];
  /** The content of the files, for messages, e.g. `the token`. */
  readonly what: string;
  /**
   * Makes the value from the texts, which are in the order of the paths. `last` is the value in use, to be returned again if it
   * is the same. Throws a `ListwatchError` whose message names the file and shows no content.
   */
  readonly parse: (texts: readonly string[], last: V | undefined) => V;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/** Between two looks at the files. */
const CHECK_EVERY_MS = 1_000;

/** Larger files are refused: a token or a chain of certificates takes a few kilobytes. */
const LARGEST_FILE_BYTES = 1_048_576;

/** A file system that does not answer for so long counts as unreadable. */
const LONGEST_READ_MS = 10_000;

/** Distinct errors that are remembered, so that each is logged once. */
const MOST_PROBLEMS = 16;

/**
 * A value made from files that are replaced from time to time.
 *
 * Guarantees:
 * - The value of `current` is at most a second older than the files. The files are looked at only when it is called; no timer
 *   and no watcher exists while it is not.
 * - Simultaneous calls share one look. A look whose files have not changed reads no content.
 * - The same object is returned while the texts are unchanged.
 * - While the files cannot be used, the last value stays in use, and each distinct error is logged once.
 */
export class WatchedFiles<V> {
  readonly #options: WatchedFilesOptions<V>;
  readonly #runtime: Runtime;
  readonly #logger: ReturnType<typeof guardedLogger>;
  readonly #problems = new Set<string>();
  #found: { readonly value: V; readonly texts: readonly string[] } | undefined;
  /** The stamps of the texts. Undefined: the next look reads, because a write may have had the same stamp as the one before. */
  #stamps: string | undefined;
  /** When the latest look began. */
  #checkedAtMs = -Infinity;
  #check: Promise<V> | undefined;
  /** The look that begins after the one under way. */
  #nextCheck: Promise<V> | undefined;

  constructor(options: WatchedFilesOptions<V>) {
    this.#options = options;
    this.#runtime = options.runtime ?? realRuntime;
    this.#logger = guardedLogger(options.logger ?? consoleLogger);
  }

  /** The value in use; undefined before the first one. */
  get last(): V | undefined {
    return this.#found?.value;
  }

  /**
   * The value of the files. Without a promise if they were looked at within the last second.
   * @throws {ListwatchError} code CONFIG_INVALID if the files cannot be used and there is no earlier value.
   */
  current(): V | Promise<V> {
    if (this.#check !== undefined) return this.#bounded(this.#check);
    const ageMs = this.#runtime.monotonicMs() - this.#checkedAtMs;
    if (this.#found !== undefined && ageMs < CHECK_EVERY_MS) return this.#found.value;
    return this.#bounded(this.#startCheck());
  }

  /** Reads the content again, whatever the time and the stamps. The read begins after the call. Errors as with `current`. */
  reread(): Promise<V> {
    if (this.#check === undefined) {
      this.#stamps = undefined;
      return this.#bounded(this.#startCheck());
    }
    const again = (): Promise<V> => {
      this.#nextCheck = undefined;
      this.#stamps = undefined;
      return this.#check ?? this.#startCheck();
    };
    this.#nextCheck ??= this.#check.then(again, again);
    return this.#bounded(this.#nextCheck);
  }

  #startCheck(): Promise<V> {
    this.#checkedAtMs = this.#runtime.monotonicMs();
    const check = this.#look().finally(() => {
      if (this.#check === check) this.#check = undefined;
    });
    this.#check = check;
    return check;
  }

  /** The look stays under way after its deadline: a second one would take another thread of Node's pool of four. */
  async #bounded(check: Promise<V>): Promise<V> {
    const timeoutMs = this.#checkedAtMs + LONGEST_READ_MS - this.#runtime.monotonicMs();
    try {
      return await withDeadline(this.#runtime, check, { timeoutMs, describe: () => 'the files' });
    } catch (error) {
      if (!(error instanceof ListwatchError) || error.code !== 'TIMEOUT') throw error;
      const problem = `the file system did not answer within ${LONGEST_READ_MS} ms`;
      return this.#keepLast(invalidFile(this.#options.paths.join(', '), problem));
    }
  }

  async #look(): Promise<V> {
    try {
      const { paths, parse } = this.#options;
      const found = this.#found;
      // Before the content: a write in between makes another stamp for the next look.
      const stamps = await stampsOf(paths);
      // Compared after the wait, because `reread` may have asked for the content meanwhile.
      if (found !== undefined && stamps === this.#stamps) return found.value;
      const read = { largestBytes: LARGEST_FILE_BYTES, runtime: this.#runtime };
      const texts = await Promise.all(paths.map((path) => readTextFile(path, read)));
      if (found !== undefined && texts.every((text, index) => text === found.texts[index])) {
        this.#stamps = stamps;
        this.#recovered();
        return found.value;
      }
      // The stamps are kept only when a second look finds the same texts: see the field.
      this.#stamps = undefined;
      const value = parse(texts, found?.value);
      this.#found = { value, texts };
      this.#recovered();
      return value;
    } catch (error) {
      this.#stamps = undefined;
      return this.#keepLast(error);
    }
  }

  #keepLast(error: unknown): V {
    const found = this.#found;
    if (found === undefined) throw error;
    const problem = errorMessage(error);
    if (!this.#problems.has(problem) && this.#problems.size < MOST_PROBLEMS) {
      this.#problems.add(problem);
      const { what, paths } = this.#options;
      this.#logger.warn('a file cannot be read again; its last content stays in use', {
        what,
        files: paths,
        error: problem,
      });
    }
    return found.value;
  }

  #recovered(): void {
    if (this.#problems.size === 0) return;
    this.#problems.clear();
    const { what, paths } = this.#options;
    this.#logger.info('a file can be read again', { what, files: paths });
  }
}

/** An error of a configuration file. */
export function invalidFile(path: string, problem: string, cause?: unknown): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${path}: ${problem}`, { cause });
}

async function stampsOf(paths: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    paths.map(async (path) => {
      try {
        return stampOf(path, await stat(path));
      } catch (error) {
        throw unreadable(path, error);
      }
    }),
  );
  return stamps.join();
}

function stampOf(path: string, found: Stats): string {
  if (found.isDirectory()) throw invalidFile(path, 'it is a directory; name a file');
  // A pipe can be read only once.
  if (!found.isFile()) throw invalidFile(path, 'it is not a regular file; name a file');
  const { mtimeMs, ctimeMs, size, ino, dev } = found;
  return `${mtimeMs} ${ctimeMs} ${size} ${ino} ${dev}`;
}
