import type { Runtime } from '../../../kernel/runtime.ts';
import { CertificateAuthority, type Certificate } from './certificate-authority.ts';

export interface ServerCertificatesOptions {
  readonly runtime: Pick<Runtime, 'wallMs'>;
  /** The source of serial numbers. */
  readonly randomBytes: (size: number) => Uint8Array;
}

const LEAF_MS = 365 * 86_400_000;

/**
 * The certificates of one server: its own authority, and the leaf that it presents.
 *
 * Guarantees:
 * - Neither is made before it is needed.
 * - The authority stays the same, so a client that trusts it keeps its trust.
 * - A leaf is replaced after half of its year, so a server that runs longer never presents an expired one.
 */
export class ServerCertificates {
  readonly #options: ServerCertificatesOptions;
  #authority: CertificateAuthority | undefined;
  #leaf:
    | ({ readonly hosts: readonly string[]; readonly renewMs: number } & Certificate)
    | undefined;

  constructor(options: ServerCertificatesOptions) {
    this.#options = options;
  }

  /** The certificate of the authority, PEM. */
  get authority(): string {
    return this.#signer().certificate;
  }

  /** The leaf for these hosts; the same object until it is replaced. */
  leaf(hosts: readonly string[]): Certificate {
    const nowMs = this.#options.runtime.wallMs();
    if (this.#leaf?.hosts !== hosts || nowMs >= this.#leaf.renewMs) {
      const issued = this.#signer().issue({
        usage: 'server',
        name: 'listwatch',
        hosts,
        nowMs,
        notAfterMs: nowMs + LEAF_MS,
      });
      this.#leaf = { ...issued, hosts, renewMs: nowMs + LEAF_MS / 2 };
    }
    return this.#leaf;
  }

  #signer(): CertificateAuthority {
    this.#authority ??= new CertificateAuthority({
      name: 'listwatch CA',
      nowMs: this.#options.runtime.wallMs(),
      randomBytes: this.#options.randomBytes,
    });
    return this.#authority;
  }
}
