import { X509Certificate } from 'node:crypto';

/** The facts of a certificate that a report shows. */
export interface CertificateFacts {
  readonly commonName: string | undefined;
  readonly organizations: readonly string[];
  /** The issuer in one line, e.g. `CN=kubernetes`. */
  readonly issuer: string;
  readonly subject: string;
  /** Wall-clock milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Host names and IP addresses of a server. */
  readonly names: readonly string[];
}

export function certificateFacts(certificate: X509Certificate): CertificateFacts {
  const subject = (certificate.subject ?? '').split('\n');
  const values = (name: string): string[] =>
    subject
      .filter((line) => line.startsWith(`${name}=`))
      .map((line) => line.slice(name.length + 1));
  return {
    commonName: values('CN')[0],
    organizations: values('O'),
    issuer: oneLine(certificate.issuer),
    subject: oneLine(certificate.subject),
    fromMs: Date.parse(certificate.validFrom),
    toMs: Date.parse(certificate.validTo),
    names: (certificate.subjectAltName ?? '')
      .split(', ')
      .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
      .filter((name) => name !== ''),
  };
}

/** The certificates of a PEM text in order. @throws errors of OpenSSL for a block that is no certificate. */
export function certificatesIn(pem: string | Uint8Array): X509Certificate[] {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('utf8');
  const blocks = text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END[^-]+-----/g);
  return (blocks ?? []).map((block) => new X509Certificate(block));
}

/** A name with several parts is one line a part in Node. */
function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ') || 'a name without parts';
}
