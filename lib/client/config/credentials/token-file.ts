import { readFile } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../kernel/errors.ts';
import { silentLogger, type Logger } from '../../../kernel/logger.ts';
import { realRuntime } from '../../../kernel/real-runtime.ts';
import type { Runtime } from '../../../kernel/runtime.ts';

export interface TokenFileOptions {
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/** How long a token is used before the file is read again (client-go transport/token_source.go @ 32ce75a7). */
const FRESH_MS = 60_000;

/**
 * A bearer token in a file that is replaced from time to time, as the kubelet does for service accounts.
 *
 * Guarantees: a token is at most a minute older than the file. When the file cannot be read, the last valid token stays in use
 * and a warning is logged.
 */
export function tokenFile(path: string, options: TokenFileOptions = {}): () => Promise<string> {
  const runtime = options.runtime ?? realRuntime;
  const logger = options.logger ?? silentLogger;
  let token: string | undefined;
  let readAtMs = -Infinity;
  let reading: Promise<string> | undefined;

  const read = async (): Promise<string> => {
    try {
      const text = (await readFile(path, 'utf8')).trim();
      if (text === '') throw new ListwatchError('CONFIG_INVALID', `${path}: the file is empty`);
      token = text;
    } catch (error) {
      if (token === undefined) throw unreadable(path, error);
      logger.warn('the token file cannot be read; the last token stays in use', {
        path,
        error: errorMessage(error),
      });
    } finally {
      reading = undefined;
    }
    readAtMs = runtime.monotonicMs();
    return token;
  };

  return async () => {
    if (token !== undefined && runtime.monotonicMs() - readAtMs < FRESH_MS) return token;
    reading ??= read();
    return await reading;
  };
}

function unreadable(path: string, error: unknown): ListwatchError {
  if (error instanceof ListwatchError) return error;
  return new ListwatchError(
    'CONFIG_INVALID',
    `${path}: the token cannot be read: ${errorMessage(error)}`,
    { cause: error },
  );
}
