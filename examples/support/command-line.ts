import { parseArgs, type ParseArgsConfig } from 'node:util';
import { isListwatchError } from 'listwatch';
import { errorMessage } from 'listwatch/kernel';

type OptionDefinitions = NonNullable<ParseArgsConfig['options']>;

/** Exit codes as shells know them. */
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

/** Wrong use of the command line. */
export class UsageError extends Error {}

export interface Program {
  /** Begins the line that tells of a failure. */
  readonly name: string;
  /** `signal` aborts on Ctrl-C; a program that ends well after that has stopped cleanly. */
  readonly main: (signal: AbortSignal) => Promise<void>;
}

/** Runs a program to its exit code. A failure is one line, with `--debug` followed by the stack trace. */
export async function runProgram({ name, main }: Program): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await main(stop.signal);
  } catch (error) {
    process.exitCode = exitCodeOf(error, stop.signal);
    process.stderr.write(`${name}: ${oneLine(error)}\n`);
    if (process.argv.includes('--debug')) console.error(error);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** What went wrong and what to do about it, with nothing in it that a terminal would obey. */
function oneLine(error: unknown): string {
  const text = errorMessage(error).replaceAll(/[\p{Cc}\s]+/gu, ' ');
  if (!isListwatchError(error, 'UNAUTHORIZED')) return text;
  return `${text}: the server does not accept the token or client certificate; are they missing, expired, or of another server?`;
}

function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (error instanceof UsageError) return EXIT_USAGE;
  return signal.aborted ? EXIT_INTERRUPTED : EXIT_FAILURE;
}

/** Reads the options of the command line; `debug` and `help` are known to every program. @throws {UsageError} */
export function parseOptions<const O extends OptionDefinitions>(
  options: O,
): ReturnType<typeof parseArgs<{ options: O & typeof COMMON }>>['values'] {
  try {
    return parseArgs({ options: { ...options, ...COMMON } }).values;
  } catch (error) {
    // The first sentence names the option, the others speak of positional arguments.
    const [sentence = ''] = errorMessage(error).split(/\.(?:\s|$)/);
    throw new UsageError(`${sentence}; --help lists the options`);
  }
}

const COMMON = { help: { type: 'boolean' }, debug: { type: 'boolean' } } as const;
