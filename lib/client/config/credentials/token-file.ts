import { abortable } from '../../../kernel/time/abort.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';
import { invalidFile, WatchedFiles } from './watched-files.ts';

export interface TokenFileOptions {
  /** Its kind and source, for messages. @defaultValue `the token in PATH` */
  readonly source?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * A bearer token in a file that is replaced from time to time, as the kubelet does for service accounts.
 *
 * Guarantees: a token is at most a second older than the file, and is read again after a 401. When the file cannot be used, the
 * last token stays in use and a warning is logged. White space around the token is ignored.
 *
 * `current` throws a `ListwatchError` with code CONFIG_INVALID if the file cannot be used and there was no earlier token.
 */
export function tokenFile(path: string, options: TokenFileOptions = {}): CredentialSource {
  const { source = `the token in ${path}`, runtime, logger } = options;
  const file = new WatchedFiles<Credential>({
    paths: [path],
    what: source,
    parse: ([text = ''], last) => {
      const token = tokenOf(path, text, source);
      return last?.equals(token) === true ? last : token;
    },
    runtime,
    logger,
  });
  return {
    source,
    current: (signal) => {
      const token = file.current();
      return token instanceof Credential ? token : abortable(token, signal);
    },
    refresh: async (rejected, signal) => {
      // Another request may have read the new token already.
      if (file.last !== undefined && !file.last.equals(rejected)) return file.last;
      const token = await abortable(file.reread(), signal);
      return token.equals(rejected) ? undefined : token;
    },
  };
}

function tokenOf(path: string, text: string, source: string): Credential {
  const token = text.trim();
  if (token === '') throw invalidFile(path, 'the file is empty; write the token into it');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const problem = 'it is not a token: it has spaces, several lines or characters beyond ASCII';
    throw invalidFile(path, problem);
  }
  return Credential.bearer(token, source);
}
