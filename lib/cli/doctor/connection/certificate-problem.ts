import { shownText } from '../../terminal/shown-text.ts';
import { certificateFacts, certificatesIn, type CertificateFacts } from './certificate-facts.ts';
import { dateText, distanceText } from './validity-text.ts';

export interface CertificateProblemOptions {
  /** The code of Node for a certificate that does not verify, otherwise the empty string. */
  readonly code: string;
  readonly facts: CertificateFacts;
  /** The name that the certificate has to have. */
  readonly host: string;
  /** The trusted authorities, PEM. Undefined: those of Node. */
  readonly ca: string | Uint8Array | undefined;
  readonly nowMs: number;
}

export interface CertificateProblem {
  readonly detail: string;
  readonly remedy: string;
}

/** Why a certificate is not accepted, in words; undefined when it is. */
export function certificateProblem(
  options: CertificateProblemOptions,
): CertificateProblem | undefined {
  const { code, facts, host, nowMs } = options;
  switch (code) {
    case '':
      return undefined;
    case 'CERT_HAS_EXPIRED':
      return {
        detail: expiredText(facts, nowMs),
        remedy:
          'renew it on the server, e.g. with "kubeadm certs renew all"; if it is not yet that late, set this machine\'s clock',
      };
    case 'CERT_NOT_YET_VALID':
      return {
        detail: `the certificate of the server is valid only from ${dateText(facts.fromMs)}, ${distanceText(facts.fromMs, nowMs)}`,
        remedy: "set this machine's clock",
      };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        detail: shownText(
          `the certificate is for ${facts.names.join(', ') || facts.subject}, not for ${host}`,
        ),
        remedy: shownText(
          `use one of its names in "server" of the cluster, or add tls-server-name: ${facts.names[0] ?? 'NAME'} there`,
        ),
      };
    default:
      return untrusted(options);
  }
}

/** An authority above the certificate may be the one that has expired. */
function expiredText({ toMs, issuer }: CertificateFacts, nowMs: number): string {
  return toMs < nowMs
    ? `the certificate of the server expired at ${dateText(toMs)}, ${distanceText(toMs, nowMs)}`
    : `the authority ${shownText(issuer, 100)} of the certificate has expired`;
}

function untrusted({ code, facts, ca }: CertificateProblemOptions): CertificateProblem {
  const issuer = shownText(facts.issuer, 100);
  if (ca === undefined) {
    return {
      detail: `the certificate is issued by ${issuer}, which is not among the public authorities, and no certificate-authority is given (${code})`,
      remedy:
        "give certificate-authority-data of the cluster, as its administrator's kubeconfig has it",
    };
  }
  return {
    detail: `the certificate is issued by ${issuer}, and the given certificate-authority is ${subjectsOf(ca)} (${code})`,
    remedy:
      'replace certificate-authority-data of the cluster by the authority of this server; without a change on the server, somebody may be intercepting the connection',
  };
}

function subjectsOf(ca: string | Uint8Array): string {
  try {
    const subjects = certificatesIn(ca).map((one) => certificateFacts(one).subject);
    return shownText(subjects.join('; '), 150) || 'without a certificate';
  } catch {
    return 'not a readable certificate';
  }
}
