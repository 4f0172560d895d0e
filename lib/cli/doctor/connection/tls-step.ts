import type { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { connectionFailure } from '../../../client/transport/connection/connection-failure.ts';
import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';
import type { Credential } from '../../../client/transport/contract/credential.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { shownText, timeText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { certificateFacts, certificatesIn, type CertificateFacts } from './certificate-facts.ts';
import { endpointOf } from './endpoint.ts';
import { openConnection } from './open-connection.ts';
import { untilConnected } from './open-socket.ts';
import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { dateText, distanceText, SOON_MS } from './validity-text.ts';

interface CertificateProblemOptions {
  /** The code of Node for a certificate that does not verify, otherwise the empty string. */
  readonly code: string;
  readonly facts: CertificateFacts;
  /** The name that the certificate has to have. */
  readonly host: string;
  /** The trusted authorities, PEM. Undefined: those of Node. */
  readonly ca: string | Uint8Array | undefined;
  readonly nowMs: number;
}

interface CertificateProblem {
  readonly detail: string;
  readonly remedy: string;
}

/** Why a certificate is not accepted, in words; undefined when it is. */
function certificateProblem(options: CertificateProblemOptions): CertificateProblem | undefined {
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

/** Errors of a handshake with a server that does not speak TLS, or speaks another version. */
const NO_TLS = /wrong version number|packet length too long|unknown protocol|http request/i;

/** Makes a TLS connection, whatever the certificate is, and checks the certificate then. */
export const tlsStep: Step = {
  id: 'tls',
  title: 'TLS',
  needs: ['tcp'],
  async run(context: DoctorContext): Promise<Outcome> {
    const { findings, runtime, signal } = context;
    const config = findings.found;
    const { host, secure } = endpointOf(config);
    if (!secure) return { status: 'skipped', detail: 'the address is http://' };
    const startedMs = runtime.monotonicMs();
    let raw: Socket | undefined;
    let socket: TLSSocket | undefined;
    try {
      const ca = await authorities(config);
      raw = await openConnection(context);
      raw.on('error', () => {});
      socket = connect({
        ...tlsOptions(config, findings.credential),
        ...pem(ca),
        socket: raw,
        host,
      });
      await untilConnected(socket, 'secureConnect', signal);
      return outcomeOf(context, { socket, ca, tookMs: runtime.monotonicMs() - startedMs });
    } catch (error) {
      if (signal.aborted || isListwatchError(error)) throw error;
      return handshakeFailed(error, config.server);
    } finally {
      socket?.destroy();
      raw?.destroy();
    }
  },
};

/** The authorities to trust; a file of them may be read for it. */
async function authorities({ tls }: ConnectionConfig): Promise<string | Uint8Array | undefined> {
  return typeof tls.ca === 'function' ? await tls.ca() : tls.ca;
}

function pem(ca: string | Uint8Array | undefined): ConnectionOptions {
  if (ca === undefined) return {};
  return { ca: typeof ca === 'string' ? ca : asBuffer(ca), allowPartialTrustChain: true };
}

function tlsOptions(
  config: ConnectionConfig,
  credential: Credential | undefined,
): ConnectionOptions {
  const { host } = endpointOf(config);
  const name = config.tls.serverName ?? (isIP(host) === 0 ? host : undefined);
  return {
    ALPNProtocols: ['http/1.1'],
    // The certificate of a server that is not trusted is what this step has to show. Nothing is sent over this connection.
    rejectUnauthorized: false,
    ...(name === undefined ? {} : { servername: name }),
    ...(credential?.cert === undefined ? {} : { cert: credential.cert }),
    ...(credential?.key === undefined ? {} : { key: credential.key }),
  };
}

function handshakeFailed(error: unknown, server: string): Outcome {
  const outcome = failedOutcome(connectionFailure(error, { server, method: 'GET', path: '' }));
  const { message = '', code = '' } = error as { message?: string; code?: string };
  if (NO_TLS.test(message) || /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code)) {
    const detail = 'the port is open, but what listens there does not speak TLS';
    const remedy =
      'give the TLS port in "server" of the cluster, usually 6443 or 443; write http:// only for a server without TLS';
    return { ...outcome, detail, remedy };
  }
  if (code === 'ECONNRESET') {
    const detail = 'the connection was closed during the TLS handshake';
    const remedy =
      'check that the port is that of the API server, and that no firewall or proxy cuts TLS connections';
    return { ...outcome, detail, remedy };
  }
  return outcome;
}

interface Handshake {
  readonly socket: TLSSocket;
  readonly ca: string | Uint8Array | undefined;
  readonly tookMs: number;
}

function outcomeOf(
  { findings, runtime }: DoctorContext,
  { socket, ca, tookMs }: Handshake,
): Outcome {
  const config = findings.found;
  const nowMs = runtime.wallMs();
  const protocol = socket.getProtocol() ?? 'an unknown version';
  const peer: X509Certificate | undefined = socket.getPeerX509Certificate();
  if (peer === undefined) {
    const detail = 'the server has sent no certificate';
    const remedy = 'check that the port is that of the API server';
    return { status: 'failed', code: 'CERTIFICATE', detail, remedy };
  }
  const facts = certificateFacts(peer);
  const { fromMs, toMs } = facts;
  findings.validities.push({ what: 'the certificate of the server', fromMs, toMs });
  const data = tlsData(facts, protocol, config, tookMs);
  const problem = certificateProblem({
    // Node's type says Error, but it is the code of the error.
    code: (socket.authorizationError as unknown as string | null) ?? '',
    facts,
    host: config.tls.serverName ?? endpointOf(config).host,
    ca,
    nowMs,
  });
  if (config.tls.insecureSkipVerify === true) return notVerified(facts, protocol, data, problem);
  if (problem !== undefined) return { status: 'failed', code: 'CERTIFICATE', ...problem, data };
  const detail = `${protocol} in ${timeText(tookMs)}, issued by ${shownText(facts.issuer, 100)}, valid to ${dateText(toMs)}, for ${namesText(facts)}`;
  if (toMs - nowMs >= SOON_MS) return { status: 'ok', detail, data };
  return {
    status: 'warning',
    detail: `the certificate of the server expires at ${dateText(toMs)}, ${distanceText(toMs, nowMs)}`,
    remedy: 'renew it on the server, e.g. with "kubeadm certs renew all"',
    data,
  };
}

function notVerified(
  { issuer }: CertificateFacts,
  protocol: string,
  data: Readonly<Record<string, unknown>>,
  problem: { readonly detail: string } | undefined,
): Outcome {
  const verdict = problem === undefined ? 'it would be accepted' : problem.detail;
  return {
    status: 'warning',
    detail: `${protocol}, issued by ${shownText(issuer, 100)}; the certificate is not verified, and ${verdict}`,
    remedy: 'remove insecure-skip-tls-verify of the cluster, and give its certificate-authority',
    data,
  };
}

function tlsData(
  facts: CertificateFacts,
  protocol: string,
  config: ConnectionConfig,
  handshakeMs: number,
): Readonly<Record<string, unknown>> {
  return {
    protocol,
    handshakeMs,
    issuer: facts.issuer,
    subject: facts.subject,
    validFrom: dateText(facts.fromMs),
    validTo: dateText(facts.toMs),
    names: facts.names,
    serverName: config.tls.serverName,
    verified: config.tls.insecureSkipVerify !== true,
  };
}

/** A certificate may have hundreds of names. */
const SHOWN_NAMES = 6;

function namesText({ names }: CertificateFacts): string {
  const more = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES).join(', ') || 'no name';
  return shownText(more > 0 ? `${shown} and ${more} more` : shown);
}
