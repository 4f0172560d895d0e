import { parseArgs, type ParseArgsConfig } from 'node:util';
import { errorMessage } from 'listwatch/kernel';

type OptionDefinitions = NonNullable<ParseArgsConfig['options']>;

/** Exit codes as shells know them. */
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

/** The error of wrong arguments. */
export class UsageError extends Error {}

export interface Program {
  /** The prefix of the line that reports a failure. */
  readonly name: string;
  /** `signal` aborts on Ctrl-C; a program that ends well after that has stopped cleanly. */
  readonly main: (signal: AbortSignal) => Promise<void>;
}

/** Runs a program to its exit code. A failure or an interruption is one line, with `--debug` followed by the stack trace. */
export async function runProgram({ name, main }: Program): Promise<void> {
  const stop = new AbortController();
  let exitCode = EXIT_FAILURE;
  const interrupt = (signal: keyof typeof EXIT_INTERRUPTED): void => {
    exitCode = EXIT_INTERRUPTED[signal];
    stop.abort(new Error(`stopped by ${signal}`));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await main(stop.signal);
  } catch (error) {
    // After an interruption the work fails with different errors; the reason of the signal is always the same.
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    process.exitCode = error instanceof UsageError ? EXIT_USAGE : exitCode;
    process.stderr.write(`${name}: ${oneLine(reason)}\n`);
    if (process.argv.includes('--debug')) console.error(error);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** The message of an error, without control characters. */
function oneLine(error: unknown): string {
  return errorMessage(error).replaceAll(/[\p{Cc}\s]+/gu, ' ');
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
