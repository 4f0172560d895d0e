import { abortable } from '../../../kernel/time/abort.ts';
import { guardedLogger } from '../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';
import {
  checkCertificatePair,
  earlyProblem,
  expiryProblem,
  type Validity,
} from './certificate-pair.ts';
import { invalidFile, WatchedFiles } from './watched-files.ts';

export interface CertificateFilesOptions {
  /** Path of the client certificate, PEM; the certificates that signed it may follow. */
  readonly cert: string;
  /** Path of its private key, PEM. It may be the same file. */
  readonly key: string;
  /** Its kind and source, for messages. @defaultValue `the client certificate in CERT` */
  readonly source?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

interface Pair extends Validity {
  readonly credential: Credential;
}

/**
 * A client certificate and its key in files that are replaced from time to time.
 *
 * Guarantees: the pair is at most a second older than the files, and is read again after a 401. A pair is presented only if the
 * key belongs to the certificate and the certificate has not expired when it is read; otherwise, as between the writes of the
 * two files, the last pair stays in use and a warning is logged. A certificate that expires in use is reported once and stays in
 * use, because the clock of the server decides.
 *
 * `current` throws a `ListwatchError` with code CONFIG_INVALID naming both files if there was no earlier pair.
 */
export function certificateFiles(options: CertificateFilesOptions): CredentialSource {
  const { cert, key, source = `the client certificate in ${cert}` } = options;
  const runtime = options.runtime ?? realRuntime;
  const logger = guardedLogger(options.logger ?? consoleLogger);
  const files = new WatchedFiles<Pair>({
    paths: [cert, key],
    what: source,
    parse: (texts) => pairOf(options, texts, source, runtime),
    runtime,
    logger: options.logger,
  });
  let reported: Pair | undefined;
  const presented = (pair: Pair): Credential => {
    const nowMs = runtime.wallMs();
    if ((nowMs > pair.untilMs || nowMs < pair.fromMs) && reported !== pair) {
      reported = pair;
      const problem = expiryProblem(pair, nowMs) ?? earlyProblem(pair, nowMs);
      logger.warn('the server may refuse the client certificate', { file: cert, problem });
    }
    return pair.credential;
  };
  return {
    source,
    current: (signal) => {
      const pair = files.current();
      return pair instanceof Promise ? abortable(pair.then(presented), signal) : presented(pair);
    },
    refresh: async (rejected, signal) => {
      if (files.last !== undefined && !files.last.credential.equals(rejected)) {
        return presented(files.last);
      }
      const pair = await abortable(files.reread(), signal);
      return pair.credential.equals(rejected) ? undefined : presented(pair);
    },
  };
}

function pairOf(
  { cert: certPlace, key: keyPlace }: CertificateFilesOptions,
  [cert = '', key = '']: readonly string[],
  source: string,
  runtime: Runtime,
): Pair {
  const validity = checkCertificatePair({ cert, key, certPlace, keyPlace });
  const expired = expiryProblem(validity, runtime.wallMs());
  if (expired !== undefined) throw invalidFile(certPlace, expired);
  return { ...validity, credential: new Credential({ cert, key, source }) };
}
