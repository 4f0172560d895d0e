/** Structured values that go with a log line. Never put a token, key or Secret into one. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log of the package. Wrap your own logger. Informers and reconcile loops write warnings and errors to
 * standard error unless they are given one; everything else says nothing then.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
