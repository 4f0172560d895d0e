/** Structured values that go with a log line. Never put a token, key or Secret into one. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log of the package; implement it to wrap your own logger. The message of a line is constant, so that lines can be grouped
 * by it; each value is a field. `error` is the error, `problem` a sentence about the cause. Without a logger, each part of the
 * package uses `consoleLogger`: warnings and errors on standard error.
 *
 * Levels: `debug` for each step, `info` for a change of state that is expected, `warn` for a failure from which the program
 * recovers by itself, `error` for one that needs a person.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Discards every message. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
