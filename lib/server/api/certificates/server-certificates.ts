import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../kernel/certificates/certificate-authority.ts';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { certificatesIn, ClientCertificates } from './client-certificates.ts';

/** The certificates of a server, and those that it accepts. Everything is PEM. */
export interface ServerTlsOptions {
  /**
   * The certificate to present, with the intermediate ones after it, and its key.
   * @defaultValue a leaf of the server's own authority, made anew after half a year
   */
  readonly certificate?: Certificate | undefined;
  /**
   * The server's own authority, from `ApiServer.storedAuthority` of an earlier server, so that clients keep their trust.
   * @defaultValue a new one
   */
  readonly authority?: Certificate | undefined;
  /**
   * The authorities of client certificates: the common name is the user, the organisations are the groups. Certificates of
   * `ApiServer.issueClientCertificate` are accepted as well.
   */
  readonly clientAuthorities?: string | undefined;
}

export interface ServerCertificatesOptions {
  readonly runtime: Pick<Runtime, 'wallMs'>;
  /** The source of serial numbers. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly tls?: ServerTlsOptions | undefined;
}

const OWNER = 'ApiServer: tls';
const CERTIFICATE = optionsOf<Certificate>()(`${OWNER}: certificate`, {
  certificate: is.text().required,
  privateKey: is.text().required,
});
const TLS = optionsOf<ServerTlsOptions>()(OWNER, {
  certificate: is.object(),
  authority: is.object(),
  clientAuthorities: is.text(),
});
const LEAF_MS = 365 * 86_400_000;

/**
 * The certificates of one server: its own authority, and the leaf that it presents; or the given ones.
 *
 * Guarantees:
 * - Neither is made before it is needed.
 * - The authority stays the same, so a client that trusts it keeps its trust.
 * - A leaf is replaced after half of its year, so a server that runs longer never presents an expired one.
 */
export class ServerCertificates {
  readonly #options: ServerCertificatesOptions;
  readonly #tls: ServerTlsOptions;
  readonly #foreignAuthorities: readonly X509Certificate[];
  #clients: ClientCertificates | undefined;
  #authority: CertificateAuthority | undefined;
  #leaf:
    | ({ readonly hosts: readonly string[]; readonly renewMs: number } & Certificate)
    | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION for certificates that cannot be used. */
  constructor(options: ServerCertificatesOptions) {
    const { tls = {} } = options;
    TLS.read(tls);
    this.#options = options;
    this.#tls = tls;
    if (tls.certificate !== undefined) checkPair(tls.certificate);
    const { clientAuthorities: pem } = tls;
    this.#foreignAuthorities =
      pem === undefined ? [] : certificatesIn(pem, `${OWNER}: clientAuthorities`);
    if (tls.authority !== undefined) this.#signer();
    if (this.#foreignAuthorities.length > 0) this.#acceptClients();
  }

  /**
   * The authority that clients have to trust, PEM: the own authority, or the self-signed certificates among the given ones. Empty if these have an
   * authority that clients know.
   */
  get authority(): string {
    const { certificate } = this.#tls;
    if (certificate === undefined) return this.#signer().certificate;
    const chain = certificatesIn(certificate.certificate, OWNER);
    return chain
      .filter((one) => one.checkIssued(one))
      .map(String)
      .join('');
  }

  /** Checks client certificates; undefined while none can be valid, so that no client is asked for one. */
  get clients(): ClientCertificates | undefined {
    return this.#clients;
  }

  /** The own authority with its key. */
  storedAuthority(): Certificate {
    return this.#signer().stored();
  }

  /** A certificate for a user, valid for a year. */
  issueClient(name: string, organizations: readonly string[]): Certificate {
    this.#acceptClients();
    const nowMs = this.#options.runtime.wallMs();
    return this.#signer().issue({ usage: 'client', name, organizations, nowMs });
  }

  /** The leaf for these hosts; the same object until it is replaced. */
  leaf(hosts: readonly string[]): Certificate {
    const { certificate } = this.#tls;
    if (certificate !== undefined) return certificate;
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

  /** From now on clients are asked for certificates: of the foreign authorities, and of the own one. */
  #acceptClients(): void {
    this.#clients ??= new ClientCertificates([
      ...this.#foreignAuthorities,
      new X509Certificate(this.#signer().certificate),
    ]);
  }

  #signer(): CertificateAuthority {
    this.#authority ??= new CertificateAuthority({
      name: 'listwatch CA',
      nowMs: this.#options.runtime.wallMs(),
      randomBytes: this.#options.randomBytes,
      stored: this.#tls.authority,
    });
    return this.#authority;
  }
}

/** @throws {ListwatchError} code INVALID_OPTION. */
function checkPair(pair: Certificate): void {
  const owner = `${OWNER}: certificate`;
  CERTIFICATE.read(pair);
  const [leaf] = certificatesIn(pair.certificate, owner);
  let problem = 'the private key belongs to another certificate; give the key of the first one';
  try {
    if (leaf?.checkPrivateKey(createPrivateKey(pair.privateKey)) === true) return;
  } catch (error) {
    problem = `the private key cannot be read: ${errorMessage(error)}; it must be PEM without a passphrase`;
  }
  throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
}
