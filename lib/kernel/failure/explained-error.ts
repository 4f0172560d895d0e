import { isReadable } from './errors.ts';

/** The parts of an error that names the exchange it is about, its cause and a remedy. */
export interface ExplainedError {
  /** The cause, without the exchange. */
  readonly problem: string;
  /** The remedy, unless the problem names it. */
  readonly remedy?: string | undefined;
  /** The address that was asked. */
  readonly server: string;
}

/** The parts of an error of a client. Undefined for every other thrown value. */
export function explainedError(error: unknown): ExplainedError | undefined {
  if (typeof error !== 'object' || error === null || !isReadable(error)) return undefined;
  const { problem, remedy, request } = error as Partial<ExplainedError> & {
    readonly request?: { readonly server?: unknown };
  };
  const server = request?.server;
  if (typeof problem !== 'string' || typeof server !== 'string') return undefined;
  return { problem, server, remedy: typeof remedy === 'string' ? remedy : undefined };
}
