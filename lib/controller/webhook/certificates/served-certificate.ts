import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The certificate that a webhook server presents. Everything is PEM. */
export interface ServedCertificate {
  /** The certificate, with those that signed it after it. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The authorities that API servers have to trust; undefined: authorities that they trust anyway, or that somebody else registers. */
  readonly authorities: string | undefined;
  /** Where it comes from, for messages. */
  readonly source: string;
  /** The remedy when it expires. */
  readonly remedy: string;
}

const DAY_MS = 86_400_000;
/** A certificate is said to expire soon in the last tenth of its time, and at most so long before. */
const LONGEST_NOTICE_MS = 7 * DAY_MS;
const NOTICE_SHARE = 0.1;

export interface CertificateProblem {
  /** API servers refuse the certificate already. */
  readonly isFatal: boolean;
  /** One line with the remedy. */
  readonly text: string;
}

/** Why API servers refuse a certificate for one of these hosts, or will soon; undefined if there is nothing to say. */
export function certificateProblem(
  { certificate, source, remedy }: ServedCertificate,
  hosts: readonly string[],
  wallMs: number,
): CertificateProblem | undefined {
  const leaf = new X509Certificate(certificate);
  const [fromMs, untilMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const fatal = (text: string): CertificateProblem => ({
    isFatal: true,
    text: `${source} ${text}`,
  });
  if (wallMs > untilMs) {
    return fatal(
      `expired on ${dateOf(untilMs)}, so API servers refuse the webhooks: ${remedy}, or check this machine's clock`,
    );
  }
  if (wallMs < fromMs) {
    return fatal(`is valid only from ${dateOf(fromMs)}: check this machine's clock`);
  }
  const missing = hosts.find((host) => !isFor(leaf, host));
  if (missing !== undefined) {
    const names = leaf.subjectAltName ?? 'no names';
    return fatal(
      `is not valid for ${missing}, where API servers call the webhooks, but for ${names}: issue it for ${missing}`,
    );
  }
  const noticeMs = Math.min(LONGEST_NOTICE_MS, (untilMs - fromMs) * NOTICE_SHARE);
  if (wallMs < untilMs - noticeMs) return undefined;
  return {
    isFatal: false,
    text: `${source} expires on ${dateOf(untilMs)}; API servers will refuse the webhooks then: ${remedy}`,
  };
}

/** Names in the subject do not count, as in Go. */
function isFor(leaf: X509Certificate, host: string): boolean {
  const found = isIP(host) === 0 ? leaf.checkHost(host, { subject: 'never' }) : leaf.checkIP(host);
  return found !== undefined;
}

/** When the certificate expires, milliseconds since 1970. */
export function expiryOf({ certificate }: Pick<ServedCertificate, 'certificate'>): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}
