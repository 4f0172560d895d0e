import { X509Certificate } from 'node:crypto';
import { checkAuthorities } from '../../../client/config/credentials/authority-file.ts';
import { checkCertificatePair } from '../../../client/config/credentials/certificate-pair.ts';
import { WatchedFiles } from '../../../client/config/credentials/watched-files.ts';
import type { Client } from '../../../client/rest/client.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { authorityIn } from './authority-secret.ts';
import type { CertificatePaths, CertificateSecret } from './certificate-options.ts';
import { OwnCertificates } from './own-certificates.ts';
import {
  certificateProblem,
  type CertificateProblem,
  type ServedCertificate,
} from './served-certificate.ts';

export interface CertificateKeeperOptions {
  readonly client: Client;
  readonly certificate: CertificatePaths | CertificateSecret | undefined;
  /** The hosts at which API servers call. */
  readonly hosts: readonly string[];
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Called with each certificate after the first one. */
  readonly onChange: (served: ServedCertificate) => void;
}

/** Between two looks at the files and at the clock. */
const LOOK_EVERY_MS = 10_000;

type Source = () => ServedCertificate | Promise<ServedCertificate>;

/**
 * The certificate of a webhook server: made and renewed, or read from files again and again.
 *
 * Guarantees: a changed file is in use after at most 11 seconds; while files cannot be used, the last certificate stays. Each certificate
 * that expires soon, has expired, or is for other hosts is reported once for each of these.
 */
export class CertificateKeeper implements Disposable {
  readonly #options: CertificateKeeperOptions;
  #source: Source | undefined;
  #served: ServedCertificate | undefined;
  #reported = '';
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /** Undefined before `start`. */
  get served(): ServedCertificate | undefined {
    return this.#served;
  }

  /** The present problem of the certificate. */
  get problem(): CertificateProblem | undefined {
    if (this.#served === undefined) return undefined;
    const { hosts, runtime } = this.#options;
    return certificateProblem(this.#served, hosts, runtime.wallMs());
  }

  /**
   * The first certificate; from then on it is kept up to date.
   * @throws {ListwatchError} code WEBHOOK_CERTIFICATE when API servers would refuse it; CONFIG_INVALID for files that cannot be used;
   * INVALID_OPTION for a secret of something else; the error of the request for the secret.
   */
  async start(signal: AbortSignal): Promise<ServedCertificate> {
    this.#source = await this.#open(signal);
    const served = await this.#source();
    this.#served = served;
    const { problem } = this;
    if (problem?.isFatal === true) throw new ListwatchError('WEBHOOK_CERTIFICATE', problem.text);
    this.#report();
    this.#lookLater();
    return served;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #open(signal: AbortSignal): Promise<Source> {
    const { certificate, client, hosts, runtime } = this.#options;
    if (certificate === undefined) {
      const own = new OwnCertificates(hosts, runtime);
      return () => own.current();
    }
    if (!('secret' in certificate)) return this.#files(certificate);
    const create = () => new OwnCertificates(hosts, runtime).stored();
    const stored = await authorityIn(client, certificate, { create, signal });
    const source = `the secret ${certificate.namespace}/${certificate.secret}`;
    const own = new OwnCertificates(hosts, runtime, { stored, source });
    return () => own.current();
  }

  #files({ cert, key, ca }: CertificatePaths): Source {
    const { runtime, logger } = this.#options;
    const source = `the certificate of the webhooks in ${cert}`;
    const remedy = `renew it; the files are read again every ${LOOK_EVERY_MS / 1000} s`;
    const files = new WatchedFiles<ServedCertificate>({
      paths: [cert, key, ...(ca === undefined ? [] : [ca])],
      what: source,
      parse: ([certificate = '', privateKey = '', authorities]) => {
        checkCertificatePair({
          cert: certificate,
          key: privateKey,
          certPlace: cert,
          keyPlace: key,
        });
        if (authorities !== undefined) checkAuthorities(authorities, ca ?? '');
        const trusted = authorities ?? selfSigned(certificate);
        return { certificate, privateKey, authorities: trusted, source, remedy };
      },
      runtime,
      logger,
    });
    return () => files.current();
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.runtime.setTimer(
      LOOK_EVERY_MS,
      () => {
        void this.#look();
      },
      { background: true },
    );
  }

  async #look(): Promise<void> {
    const { logger, onChange } = this.#options;
    try {
      const served = await this.#source?.();
      if (this.#isClosed || served === undefined) return;
      if (served !== this.#served) {
        this.#served = served;
        onChange(served);
      }
      this.#report();
    } catch (error) {
      logger.error('webhooks: the certificate cannot be renewed', {
        error,
      });
    }
    this.#lookLater();
  }

  /** Once for each problem. */
  #report(): void {
    const { problem } = this;
    const text = problem?.text ?? '';
    if (text === this.#reported) return;
    this.#reported = text;
    const { logger } = this.#options;
    if (problem?.isFatal === true) logger.error(CERTIFICATE_PROBLEM, { problem: text });
    else if (problem !== undefined) logger.warn(CERTIFICATE_PROBLEM, { problem: text });
  }
}

const CERTIFICATE_PROBLEM = 'webhooks: certificate problem';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

function selfSigned(chain: string): string | undefined {
  const found = (chain.match(BLOCK) ?? []).filter((block) => {
    const one = new X509Certificate(block);
    return one.checkIssued(one);
  });
  return found.length === 0 ? undefined : found.join('');
}
