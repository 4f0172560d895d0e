import { X509Certificate } from 'node:crypto';
import { numberAt, textAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Report } from '../../server/registry/validation/check.ts';
import { pemBlocks } from '../../kernel/certificates/pem-blocks.ts';
import { requestedKey } from './stub-request.ts';

const LARGEST_CHAIN = 100 * 1024;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const NANOS_OF_MS = 1_000_000;

const CHAIN = 'status.certificateChain';
const NOT_BEFORE = 'status.notBefore';
const NOT_AFTER = 'status.notAfter';
const REFRESH = 'status.beginRefreshAt';

/**
 * The rules of a certificate that a signer sets. Each sees only what those before it let pass.
 * @see pkg/apis/certificates/validation ValidatePodCertificateRequestStatusUpdate @ v1.37.2
 */
export function checkIssued(object: JsonRecord, report: Report): void {
  const chain = textAt(object, 'status', 'certificateChain');
  const leaf = leafOf(chain, report);
  if (leaf === undefined) return;
  const { causes } = report;
  const before = causes.length;
  checkNames(leaf, report);
  if (!isForRequest(leaf, object)) {
    const detail = 'leaf certificate was not issued to the requested public key';
    return report.invalid(CHAIN, chain, detail);
  }
  checkTimesAreSet(object, report);
  if (causes.length > before) return;
  const problem = timeProblem(leaf, object, report.policy.nowMs ?? 0);
  if (problem !== undefined) return report.invalid(...problem);
  checkIntermediates(chain, report);
}

function leafOf(chain: string, report: Report): X509Certificate | undefined {
  if (Buffer.byteLength(chain) > LARGEST_CHAIN) {
    report.tooLong(CHAIN, LARGEST_CHAIN, 'bytes');
    return undefined;
  }
  const [block] = pemBlocks(chain);
  const wrong = (detail: string): undefined => report.invalid(CHAIN, chain, detail) as undefined;
  if (block === undefined) {
    return wrong('issued certificate chain must contain at least one certificate');
  }
  if (block.type !== 'CERTIFICATE') {
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  }
  const leaf = parsed(block.bytes);
  return leaf ?? wrong('leaf certificate does not parse as valid X.509');
}

function parsed(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

const MAIL_ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;

/** The alternative names. */
function checkNames(leaf: X509Certificate, report: Report): void {
  for (const name of leaf.subjectAltName?.split(', ') ?? []) {
    const value = name.slice(name.indexOf(':') + 1);
    const wrong = (detail: string): void =>
      report.invalid(CHAIN, value, `leaf certificate${detail}`);
    if (name.startsWith('DNS:')) {
      if (value === '') wrong(' should not contain empty DNSName');
      if (value.includes('..')) wrong("'s DNSName should not contain '..'");
      if (value.startsWith('.') || value.endsWith('.')) {
        wrong("'s DNSName should not start or end with '.'");
      }
    } else if (name.startsWith('email:') && !MAIL_ADDRESS.test(value)) {
      wrong(' should not contain invalid EmailAddress');
    }
  }
}

function isForRequest({ publicKey }: X509Certificate, object: JsonRecord): boolean {
  return requestedKey(valueAt(object, 'spec', 'stubPKCS10Request'))?.equals(publicKey) === true;
}

function checkTimesAreSet(object: JsonRecord, report: Report): void {
  const isMissing = (field: string): boolean => textAt(object, ...field.split('.')) === '';
  for (const field of [NOT_BEFORE, NOT_AFTER]) {
    const detail = 'must be present and consistent with the issued certificate';
    if (isMissing(field)) report.required(field, detail);
  }
  const range = 'must be present and in the range [notbefore+10min, notafter-10min]';
  if (isMissing(REFRESH)) report.required(REFRESH, range);
}

type Problem = readonly [path: string, value: unknown, detail: string];

function timeProblem(
  leaf: X509Certificate,
  object: JsonRecord,
  nowMs: number,
): Problem | undefined {
  const [begin, end] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const at = (field: string): number => Date.parse(textAt(object, ...field.split('.')));
  const wrong = (field: string, detail: string): Problem => [
    field,
    textAt(object, ...field.split('.')),
    detail,
  ];
  if (at(NOT_BEFORE) !== begin) {
    return wrong(NOT_BEFORE, 'must be set to the NotBefore time encoded in the leaf certificate');
  }
  if (Math.abs(begin - nowMs) >= 5 * MINUTE_MS) {
    const detail = "must be set to within 5 minutes of kube-apiserver's current time";
    return wrong(NOT_BEFORE, detail);
  }
  if (at(NOT_AFTER) !== end) {
    return wrong(NOT_AFTER, 'must be set to the NotAfter time encoded in the leaf certificate');
  }
  const life = lifeProblem(end - begin, numberAt(object, 'spec', 'maxExpirationSeconds'));
  if (life !== undefined) return [CHAIN, (end - begin) * NANOS_OF_MS, life];
  const refresh = at(REFRESH);
  if (refresh < begin + 10 * MINUTE_MS) {
    return wrong(REFRESH, 'must be at least 10 minutes after status.notBefore');
  }
  if (refresh > end - 10 * MINUTE_MS) {
    return wrong(REFRESH, 'must be at least 10 minutes before status.notAfter');
  }
  return undefined;
}

function lifeProblem(lifeMs: number, mostSeconds: number): string | undefined {
  const rule = 'leaf certificate lifetime must be';
  if (lifeMs < HOUR_MS) return `${rule} >= 1 hour`;
  if (lifeMs <= mostSeconds * SECOND_MS) return undefined;
  return `${rule} <= spec.maxExpirationSeconds (${mostSeconds})`;
}

/** Those after the first one, of which only the form counts. */
function checkIntermediates(chain: string, report: Report): void {
  for (const { type, bytes } of pemBlocks(chain).slice(1)) {
    if (type !== 'CERTIFICATE') {
      const detail = 'issued certificate chain must consist entirely of CERTFICATE PEM blocks';
      return report.invalid(CHAIN, chain, detail);
    }
    if (parsed(bytes) === undefined) {
      return report.invalid(CHAIN, chain, 'intermediate certificate does not parse as valid X.509');
    }
  }
}
