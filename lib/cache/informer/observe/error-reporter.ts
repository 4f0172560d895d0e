import { errorMessage } from '../../../kernel/failure/errors.ts';
import { runHook } from '../../../kernel/report/run-hook.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { InformerErrorContext } from '../options/informer-options.ts';

export interface ErrorReporterOptions {
  /** Name of the informer. */
  readonly informer: string;
  readonly logger: Logger;
  readonly onError: ((error: unknown, context: InformerErrorContext) => void) | undefined;
}

/** The constant texts of the log, by the source of the error. */
const FAILED: Readonly<Record<InformerErrorContext['source'], string>> = {
  watch: 'watch failed',
  object: 'object refused',
  handler: 'handler failed',
  listener: 'listener failed',
  metrics: 'metrics failed',
  'warm-start': 'warm start failed',
  audit: 'audit failed',
  internal: 'informer failed',
};

/** Passes every error of an informer to the user's hook, or to the log if there is none. An error of the hook is logged. */
export class ErrorReporter {
  readonly #options: ErrorReporterOptions;

  constructor(options: ErrorReporterOptions) {
    this.#options = options;
  }

  /** A repeated error is logged at growing intervals; the hook gets all errors. */
  report(
    error: unknown,
    context: Partial<InformerErrorContext> & Pick<InformerErrorContext, 'source'>,
    worthLogging: boolean = true,
  ): void {
    const { informer, logger, onError } = this.#options;
    if (onError === undefined) {
      // A broken watch recovers by itself, and a failed audit is repeated; other errors are errors of a program.
      const recovers = context.source === 'watch' || context.source === 'audit';
      const level = recovers ? 'warn' : 'error';
      const { handler, key, message: problem } = context;
      const fields = { informer, handler, key, problem, error };
      logger[worthLogging ? level : 'debug'](FAILED[context.source], fields);
      return;
    }
    const message = context.message ?? `informer ${informer}: ${errorMessage(error)}`;
    const about = { informer, during: error };
    runHook(logger, 'onError', () => onError(error, { informer, ...context, message }), about);
  }

  /** Runs a callback of the user and reports its error. */
  guard(source: InformerErrorContext['source'], call: () => void): void {
    try {
      call();
    } catch (error) {
      this.report(error, { source });
    }
  }
}
