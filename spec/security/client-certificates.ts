import { X509Certificate } from 'node:crypto';
import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';
import { chained, forgedCertificate, type CertificateForm } from './forged-certificate.ts';

const DAY_MS = 86_400_000;
type Subject = CertificateForm['subject'];
const named = (...names: string[]): Subject => names.map((name) => ['CN', name] as const);
const HELPER: CertificateForm = { subject: [['O', 'team'], ...named('helper')] };
const MASTER: CertificateForm = { subject: [['O', 'system:masters'], ...named('system:admin')] };
const NAMELESS: Subject = [['O', 'system:masters']];
const AUTHORITY: CertificateForm = { subject: named('intermediate'), authority: {} };
const EXPIRED = { validFromMs: -2 * DAY_MS, validToMs: -DAY_MS } as const;
const EARLY = { validFromMs: DAY_MS, validToMs: 2 * DAY_MS } as const;

/** Certificates of clients, valid and not, by what they are. @param trusted the authority of the server with its key */
export function clientCertificates(trusted: Certificate): ReadonlyMap<string, Certificate> {
  const signed = (form: CertificateForm): Certificate => forgedCertificate(form, trusted);
  const helper = signed(HELPER);
  const [, commonName = ''] =
    /CN=(.*)/.exec(new X509Certificate(trusted.certificate).subject) ?? [];
  const other = forgedCertificate({ ...AUTHORITY, subject: named(commonName) });
  return new Map([
    ['helper', helper],
    ['master', signed(MASTER)],
    ['expired', signed({ ...MASTER, ...EXPIRED })],
    ['not yet valid', signed({ ...MASTER, ...EARLY })],
    ['for servers', signed({ ...MASTER, usages: ['server'] })],
    ['without usages', signed({ ...HELPER, usages: [] })],
    ['for every usage', signed({ ...HELPER, usages: ['any'] })],
    ['self-signed', forgedCertificate(MASTER)],
    ['self-signed, with the authority', chained(forgedCertificate(MASTER), trusted)],
    ['of another authority', forgedCertificate(MASTER, other)],
    ['signed by a leaf', chained(forgedCertificate(MASTER, helper), helper)],
    ['with one of another user', chained(helper, signed(MASTER))],
    ['without a name', signed({ subject: NAMELESS })],
    ['with an empty name', signed({ subject: [...NAMELESS, ...named('')] })],
    ['with two names', signed({ subject: named('boss', 'helper') })],
    ['with a NUL', signed({ subject: named('boss\0helper') })],
    ['with two user ids', signed({ subject: [...named('helper'), ['UID', 'a'], ['UID', 'b']] })],
    ['of the anonymous user', signed({ subject: named('system:anonymous') })],
    ['of the robot', signed({ subject: named('system:serviceaccount:default:robot') })],
    ['with an unknown critical extension', signed({ ...MASTER, unknownCriticalExtension: true })],
    ['with a weak signature', signed({ ...MASTER, hash: 'sha1' })],
    ...throughIntermediates(signed),
  ]);
}

/** Certificates that another certificate of the authority has signed, which the client sends along. */
function throughIntermediates(
  signed: (form: CertificateForm) => Certificate,
): (readonly [string, Certificate])[] {
  const by = (signer: Certificate, leaf = HELPER): Certificate =>
    chained(forgedCertificate(leaf, signer), signer);
  const through = (form: Partial<CertificateForm>, leaf?: CertificateForm): Certificate =>
    by(signed({ ...AUTHORITY, ...form }), leaf);
  const last = signed({ ...AUTHORITY, authority: { pathLength: 0 } });
  const beyond = forgedCertificate({ ...AUTHORITY, subject: named('beyond') }, last);
  const constraint = { permittedDnsDomain: 'example.com' };
  return [
    ['through an intermediate', through({})],
    ['through an expired intermediate', through(EXPIRED)],
    ['through an intermediate for servers', through({ usages: ['server'] })],
    ['through an intermediate that is no authority', through({ authority: undefined, usages: [] })],
    ['through an intermediate beyond the path', chained(by(beyond), last)],
    [
      'beyond the names of its intermediate',
      through(constraint, { ...HELPER, dnsNames: ['evil.org'] }),
    ],
  ];
}
