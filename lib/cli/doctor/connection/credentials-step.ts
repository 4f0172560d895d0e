import { createPrivateKey } from 'node:crypto';
import { Credential } from '../../../client/transport/contract/credential.ts';
import {
  isLoopback,
  parseServerAddress,
} from '../../../client/transport/contract/server-address.ts';
import { parseProxyAddress } from '../../../client/transport/contract/proxy-address.ts';
import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';
import {
  refuseCredentialsInPlainText,
  currentCredential,
} from '../../../client/transport/request-credentials.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { shownText, timeText } from '../../terminal/shown-text.ts';
import type { Validity } from '../contract/findings.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { certificateFacts, certificatesIn } from './certificate-facts.ts';
import { dateText, distanceText, SOON_MS, validityAt } from './validity-text.ts';

/** The claims of a JSON web token that say whose it is and how long it is valid. */
interface TokenClaims {
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  /** Wall-clock milliseconds. */
  readonly notBeforeMs?: number | undefined;
  readonly expiresMs?: number | undefined;
}

/** A longer token is not read. */
const LONGEST = 64 * 1024;

/** Reads the claims without a verification, which only the server can do. Undefined for a token of another form. */
export function tokenClaims(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.length > LONGEST) return undefined;
  try {
    const text = Buffer.from(parts[1] ?? '', 'base64url').toString('utf8');
    const claims: unknown = JSON.parse(text);
    if (typeof claims !== 'object' || claims === null) return undefined;
    const { iss, sub, nbf, exp } = claims as Readonly<Record<string, unknown>>;
    return {
      issuer: typeof iss === 'string' ? iss : undefined,
      subject: typeof sub === 'string' ? sub : undefined,
      notBeforeMs: typeof nbf === 'number' ? nbf * 1000 : undefined,
      expiresMs: typeof exp === 'number' ? exp * 1000 : undefined,
    };
  } catch {
    return undefined;
  }
}

/** A source that takes so long has run a program or asked an identity provider. */
const WORTH_TELLING_MS = 10;

/** The parts of a credential, in words and as data. */
interface Described {
  readonly texts: string[];
  readonly data: Record<string, unknown>;
  readonly validities: Validity[];
}

/** Reads the credentials and says what they are, from where, and how long they are valid. */
export const credentialsStep: Step = {
  id: 'credentials',
  title: 'credentials',
  needs: ['configuration'],
  async run({ findings, runtime, signal }: DoctorContext): Promise<Outcome> {
    const config = findings.found;
    const startedMs = runtime.monotonicMs();
    const credential = await presentedCredential(config, signal);
    const tookMs = runtime.monotonicMs() - startedMs;
    if (credential === undefined) return anonymous(config);
    refusePlainText(config, credential.source);
    const described: Described = { texts: [], data: {}, validities: [] };
    describeHeader(credential, described);
    const broken = describeCertificate(credential, described);
    const source = shownText(credential.source);
    if (broken !== undefined) return { ...broken, detail: `${broken.detail} (${source})` };
    findings.credential = credential;
    findings.validities.push(...described.validities);
    const as = config.impersonate?.user;
    const data = { source, tookMs, impersonate: as, ...described.data };
    const wrong = outOfTime(described.validities, runtime.wallMs());
    const took = tookMs < WORTH_TELLING_MS ? '' : `, made in ${timeText(tookMs)}`;
    const acting = as === undefined ? '' : `; requests are made as ${shownText(as)}`;
    const detail = `${described.texts.join(' and ')}: ${source}${took}${acting}`;
    return wrong === undefined ? { status: 'ok', detail, data } : { ...wrong, data };
  },
};

function anonymous({ entries }: ConnectionConfig): Outcome {
  return {
    status: 'warning',
    detail: 'none: requests are anonymous',
    remedy:
      entries === undefined
        ? 'use a kubeconfig with a user instead of --server'
        : 'add a user with credentials to the context of the kubeconfig',
    data: { kind: 'none' },
  };
}

/** @throws {ListwatchError} code INVALID_OPTION when everyone on the way could read them. */
function refusePlainText({ server, proxy }: ConnectionConfig, source: string): void {
  const proxied = proxy !== undefined && !isLoopback(parseProxyAddress(proxy).host);
  refuseCredentialsInPlainText(parseServerAddress(server), source, proxied);
}

function describeHeader({ authorization }: Credential, described: Described): void {
  if (authorization === undefined) return;
  const [scheme = '', value = ''] = authorization.split(' ', 2);
  described.data['kind'] = scheme.toLowerCase();
  if (scheme !== 'Bearer') {
    described.texts.push(scheme === 'Basic' ? 'user name and password' : 'an authorization header');
    return;
  }
  const claims = tokenClaims(value);
  if (claims === undefined) {
    described.texts.push('a bearer token');
    return;
  }
  const { issuer, subject, notBeforeMs, expiresMs } = claims;
  const facts = [
    ...(subject === undefined ? [] : [`for ${shownText(subject, 120)}`]),
    ...(issuer === undefined ? [] : [`issued by ${shownText(issuer, 120)}`]),
    expiresMs === undefined ? 'without an end' : `valid to ${dateText(expiresMs)}`,
  ];
  described.texts.push(`a bearer token (JWT ${facts.join(', ')})`);
  described.data['token'] = {
    issuer,
    subject,
    expires: expiresMs === undefined ? undefined : dateText(expiresMs),
  };
  described.validities.push({ what: 'the token', fromMs: notBeforeMs, toMs: expiresMs });
}

function describeCertificate({ cert, key }: Credential, described: Described): Outcome | undefined {
  if (cert === undefined) return undefined;
  try {
    const [certificate] = certificatesIn(cert);
    if (certificate === undefined) return unusable('the client certificate has no PEM block');
    if (key !== undefined && !certificate.checkPrivateKey(createPrivateKey(Buffer.from(key)))) {
      return unusable('the client key does not belong to the client certificate');
    }
    const { commonName, organizations, issuer, fromMs, toMs } = certificateFacts(certificate);
    const groups = organizations.length === 0 ? '' : `, groups ${organizations.join(', ')}`;
    const user = shownText(`user ${commonName ?? 'without a name'}${groups}`);
    described.texts.push(`a client certificate (${user}, valid to ${dateText(toMs)})`);
    described.data['kind'] ??= 'client certificate';
    described.data['certificate'] = {
      user: commonName,
      groups: organizations,
      issuer,
      validFrom: dateText(fromMs),
      validTo: dateText(toMs),
    };
    described.validities.push({ what: 'the client certificate', fromMs, toMs });
    return undefined;
  } catch (error) {
    return unusable(`the client certificate or its key cannot be read: ${errorMessage(error)}`);
  }
}

function unusable(problem: string): Outcome {
  return {
    status: 'failed',
    code: 'CERTIFICATE',
    detail: shownText(problem),
    remedy:
      'replace client-certificate and client-key of the user by a pair that was issued together',
  };
}

function outOfTime(validities: readonly Validity[], nowMs: number): Outcome | undefined {
  for (const validity of validities) {
    const { what, fromMs = nowMs, toMs = Infinity } = validity;
    const isToken = what === 'the token';
    const code = isToken ? 'UNAUTHORIZED' : 'CERTIFICATE';
    const renew = isToken
      ? 'log in again, or get a new token, e.g. with "kubectl create token"'
      : 'renew client-certificate and client-key of the user';
    const state = validityAt(validity, nowMs);
    if (state === 'expired') {
      const detail = `${what} expired at ${dateText(toMs)}, ${distanceText(toMs, nowMs)}`;
      return { status: 'failed', code, detail, remedy: renew };
    }
    if (state === 'not yet valid') {
      const detail = `${what} is valid only from ${dateText(fromMs)}, ${distanceText(fromMs, nowMs)}`;
      return { status: 'failed', code, detail, remedy: "set this machine's clock" };
    }
    if (!isToken && toMs - nowMs < SOON_MS) {
      const detail = `${what} expires at ${dateText(toMs)}, ${distanceText(toMs, nowMs)}`;
      return { status: 'warning', detail, remedy: renew };
    }
  }
  return undefined;
}

/** The credential that requests will present; undefined when they are anonymous. @throws errors of the source of the credentials. */
async function presentedCredential(
  { credentials, tls, source }: ConnectionConfig,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const current = await currentCredential(credentials, signal);
  if (tls.cert === undefined || current?.cert !== undefined) return current;
  return new Credential({
    authorization: current?.authorization,
    cert: tls.cert,
    key: tls.key,
    source: current?.source ?? source,
  });
}
