import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { derElements } from '../../lib/server/api/certificates/client-certificates.ts';
import * as der from '../../lib/kernel/certificates/der.ts';
import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';

type NameType = 'CN' | 'O' | 'UID';

/** The content of a certificate. Fields that are left out are as in a certificate of a client. */
export interface CertificateForm {
  readonly subject: readonly (readonly [type: NameType, text: string])[];
  /** Milliseconds from now. */
  readonly validFromMs?: number | undefined;
  readonly validToMs?: number | undefined;
  /** Extended key usages; empty: no such extension. */
  readonly usages?: readonly ('client' | 'server' | 'any')[] | undefined;
  /** An authority, with the number of authorities that may follow. */
  readonly authority?: { readonly pathLength?: number | undefined } | undefined;
  readonly unknownCriticalExtension?: boolean | undefined;
  /** Of the signature. @defaultValue sha256 */
  readonly hash?: 'sha1' | undefined;
  readonly dnsNames?: readonly string[] | undefined;
  /** For an authority. */
  readonly permittedDnsDomain?: string | undefined;
}

const HOUR_MS = 3_600_000;
const ATTRIBUTES: Readonly<Record<NameType, string>> = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  UID: '1.3.6.1.4.1.57683.2',
};
const ALGORITHMS = {
  rsa: { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' },
  ec: { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' },
} as const;
const NULL = Buffer.of(5, 0);
const USAGES = { client: '1.3.6.1.5.5.7.3.2', server: '1.3.6.1.5.5.7.3.1', any: '2.5.29.37.0' };

/** Signs a certificate with whatever it says; without a signer, with its own key. */
export function forgedCertificate(form: CertificateForm, signer?: Certificate): Certificate {
  const { privateKey: own } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = signer === undefined ? own : createPrivateKey(signer.privateKey);
  const subject = distinguishedName(form.subject);
  const issuer = signer === undefined ? subject : subjectOf(signer.certificate);
  const { hash = 'sha256' } = form;
  const isRsa = key.asymmetricKeyType === 'rsa';
  const id = der.objectIdentifier(ALGORITHMS[isRsa ? 'rsa' : 'ec'][hash]);
  const algorithm = der.sequence(id, ...(isRsa ? [NULL] : []));
  const nowMs = Date.now();
  const { validFromMs = -HOUR_MS, validToMs = HOUR_MS } = form;
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(Buffer.of(0x40, ...randomBytes(8))),
    algorithm,
    issuer,
    der.sequence(der.time(nowMs + validFromMs), der.time(nowMs + validToMs)),
    subject,
    publicKeyOf(own),
    der.explicit(3, der.sequence(...extensionsOf(form))),
  );
  const bytes = der.sequence(body, algorithm, der.bitString(sign(hash, body, key)));
  return {
    certificate: new X509Certificate(bytes).toString(),
    privateKey: own.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A certificate, and those after it that a client sends along. */
export function chained(
  { certificate, privateKey }: Certificate,
  ...others: readonly Certificate[]
): Certificate {
  const all = [certificate, ...others.map((one) => one.certificate)];
  return { certificate: all.join(''), privateKey };
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function distinguishedName(parts: CertificateForm['subject']): Buffer {
  return der.sequence(
    ...parts.map(([type, text]) =>
      der.set(der.sequence(der.objectIdentifier(ATTRIBUTES[type]), der.utf8String(text))),
    ),
  );
}

function subjectOf(pem: string): Buffer {
  const [certificate] = derElements(new X509Certificate(pem).raw);
  const [body] = derElements(certificate?.content ?? Buffer.alloc(0));
  const subject = derElements(body?.content ?? Buffer.alloc(0))[5];
  return der.sequence(subject?.content ?? Buffer.alloc(0));
}

function extensionsOf(form: CertificateForm): Buffer[] {
  const {
    usages = form.authority === undefined ? ['client'] : [],
    authority,
    dnsNames = [],
  } = form;
  const path = authority?.pathLength;
  const constraints = [
    ...(authority === undefined ? [] : [der.boolean(true)]),
    ...(path === undefined ? [] : [der.integer(Buffer.of(path))]),
  ];
  const found = [extension('2.5.29.19', true, der.sequence(...constraints))];
  if (usages.length > 0) {
    const ids = usages.map((usage) => der.objectIdentifier(USAGES[usage]));
    found.push(extension('2.5.29.37', false, der.sequence(...ids)));
  }
  if (dnsNames.length > 0) {
    found.push(extension('2.5.29.17', false, der.sequence(...dnsNames.map(dnsName))));
  }
  if (form.permittedDnsDomain !== undefined) {
    const tree = der.sequence(dnsName(form.permittedDnsDomain));
    found.push(extension('2.5.29.30', true, der.sequence(der.explicit(0, tree))));
  }
  if (form.unknownCriticalExtension === true) {
    found.push(extension('1.2.3.4', true, der.utf8String('x')));
  }
  return found;
}

function dnsName(name: string): Buffer {
  return der.contextual(2, Buffer.from(name, 'latin1'));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(id), ...flag, der.octetString(value));
}
