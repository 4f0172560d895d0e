import { X509Certificate } from 'node:crypto';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../kernel/certificates/certificate-authority.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ServedCertificate } from './served-certificate.ts';

const LEAF_MS = 365 * 86_400_000;
/** The common name of the authority; it distinguishes a stored one from those of other programs. */
const AUTHORITY_NAME = 'listwatch webhooks CA';

/** Leaf certificates of an own authority: a new one after half of its time. */
export class OwnCertificates {
  readonly #authority: CertificateAuthority;
  readonly #hosts: readonly string[];
  readonly #runtime: Pick<Runtime, 'wallMs'>;
  readonly #source: string;
  #served: (ServedCertificate & { readonly renewAtMs: number }) | undefined;

  /**
   * @param stored an earlier authority
   * @param source where it is kept, for messages
   * @throws {ListwatchError} code INVALID_OPTION for a stored authority that cannot be used.
   */
  constructor(
    hosts: readonly string[],
    runtime: Pick<Runtime, 'wallMs'>,
    {
      stored,
      source = 'this process',
    }: { readonly stored?: Certificate; readonly source?: string } = {},
  ) {
    this.#hosts = hosts;
    this.#runtime = runtime;
    this.#source = source;
    const nowMs = runtime.wallMs();
    this.#authority = new CertificateAuthority({ name: AUTHORITY_NAME, nowMs, stored });
  }

  /** The authority with its key. */
  stored(): Certificate {
    return this.#authority.stored();
  }

  /** The same object until it is replaced. */
  current(): ServedCertificate {
    const nowMs = this.#runtime.wallMs();
    if (this.#served === undefined || nowMs >= this.#served.renewAtMs) {
      const authorities = this.#authority.certificate;
      // A leaf that outlives its authority would be refused all the same.
      const untilMs = Math.min(
        nowMs + LEAF_MS,
        Date.parse(new X509Certificate(authorities).validTo),
      );
      const issued = this.#authority.issue({
        usage: 'server',
        name: 'listwatch webhooks',
        hosts: this.#hosts,
        nowMs,
        notAfterMs: untilMs,
      });
      this.#served = {
        ...issued,
        authorities,
        source: `the certificate of the authority in ${this.#source}`,
        remedy: 'remove the authority, and restart the program to get a new one',
        renewAtMs: nowMs + (untilMs - nowMs) / 2,
      };
    }
    return this.#served;
  }
}
