import { guardedLogger } from '../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';
import {
  checkCertificatePair,
  earlyProblem,
  expiryProblem,
  type CertificatePair,
} from './certificate-pair.ts';

/** A source that always gives the same credential. A 401 is final: it has no other one. */
export function constantCredential(credential: Credential): CredentialSource {
  return { source: credential.source, current: () => credential };
}

/**
 * A bearer token given as text. White space around it is ignored, as in a token file.
 * @throws {ListwatchError} code INVALID_OPTION for an empty token, or one with spaces or control characters.
 */
export function constantToken(token: string, source: string): CredentialSource {
  return constantCredential(Credential.bearer(token.trim(), source));
}

export interface ConstantCertificateOptions extends CertificatePair {
  /** Its kind and source, for messages. */
  readonly source: string;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * A client certificate with its key, given as PEM texts.
 * @throws {ListwatchError} code CONFIG_INVALID if they cannot be read, do not belong together, or the certificate has expired.
 */
export function constantCertificate(options: ConstantCertificateOptions): CredentialSource {
  const { cert, key, certPlace, source, runtime = realRuntime, logger = consoleLogger } = options;
  const validity = checkCertificatePair(options);
  const nowMs = runtime.wallMs();
  const expired = expiryProblem(validity, nowMs);
  if (expired !== undefined) throw new ListwatchError('CONFIG_INVALID', `${certPlace}: ${expired}`);
  const credential = new Credential({ cert, key, source });
  const log = guardedLogger(logger);
  let reported = false;
  return {
    source,
    current: () => {
      const now = runtime.wallMs();
      if (!reported && (now > validity.untilMs || now < validity.fromMs)) {
        reported = true;
        const problem = expiryProblem(validity, now) ?? earlyProblem(validity, now);
        log.warn('the server may refuse the client certificate', { file: certPlace, problem });
      }
      return credential;
    },
  };
}
