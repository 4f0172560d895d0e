/** Structured values that go with a log line. Never put a token, key or Secret into one. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log of the package; implement it to wrap your own logger. Informers and reconcile loops write warnings and errors to
 * standard error unless they get a logger. All other parts log nothing without one.
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
