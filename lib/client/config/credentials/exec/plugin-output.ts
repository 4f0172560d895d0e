import { createPrivateKey, X509Certificate } from 'node:crypto';
import { GROUP } from './exec-plugin.ts';

/** The credential that a plug-in printed. It is secret: it is never shown. */
export interface PluginOutput {
  readonly token?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds since 1970: the timestamp of the plug-in or the end of the certificate, whichever comes first. */
  readonly expiresAtMs?: number | undefined;
}

/** The problem of the output of a plug-in; it quotes nothing of it that may be secret. */
export class OutputProblem extends Error {
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.problem = problem;
    this.remedy = remedy;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const RUN_IT = 'run it in a terminal to see what it prints';
const UPDATE = 'update the plug-in';

/**
 * Reads the output of a plug-in: an ExecCredential in JSON, of the version that the configuration names.
 * @throws {OutputProblem} when it is something else, or carries no usable credential.
 */
export function readPluginOutput(stdout: Buffer, apiVersion: string): PluginOutput {
  const text = stdout.toString('utf8').trim();
  if (text === '') {
    throw new OutputProblem(
      'ended without an error but printed nothing',
      'log in with its tool, or run it in a terminal to see why',
    );
  }
  const status = statusOf(objectOf(text, stdout.length), apiVersion);
  const token = textOf(status, 'token');
  const cert = textOf(status, 'clientCertificateData');
  const key = textOf(status, 'clientKeyData');
  if (token === undefined && cert === undefined && key === undefined) {
    throw new OutputProblem(
      'printed a status with neither a token nor a client certificate',
      'log in with its tool, or run it in a terminal to see why',
    );
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new OutputProblem(
      'printed a token with spaces or characters that cannot stand in a header',
      UPDATE,
    );
  }
  return { token, cert, key, expiresAtMs: earliest(expiryOf(status), pairExpiry(cert, key)) };
}

function objectOf(text: string, bytes: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, so it is not kept as the cause.
    throw new OutputProblem(`printed ${bytes} bytes that are not JSON`, RUN_IT);
  }
  const object = fieldsOf(value);
  if (object === undefined) throw new OutputProblem('printed JSON that is not an object', RUN_IT);
  return object;
}

function statusOf(object: Fields, apiVersion: string): Fields {
  const { kind } = object;
  if (kind !== 'ExecCredential') {
    const shown =
      typeof kind === 'string' && /^[A-Z][A-Za-z]{0,30}$/.test(kind) ? ` (${kind})` : '';
    throw new OutputProblem(
      kind === undefined || kind === ''
        ? 'printed an object without a kind instead of an ExecCredential'
        : `printed an object of another kind${shown} than ExecCredential`,
      RUN_IT,
    );
  }
  if (object['apiVersion'] !== apiVersion) throw otherVersion(object['apiVersion'], apiVersion);
  const status = fieldsOf(object['status']);
  if (status !== undefined) return status;
  throw new OutputProblem(
    'printed an ExecCredential without a status',
    'log in with its tool, or run it in a terminal to see why',
  );
}

function otherVersion(printed: unknown, wanted: string): OutputProblem {
  const isKnown =
    typeof printed === 'string' && /^v\d[a-z0-9]{0,12}$/.test(printed.replace(`${GROUP}/`, ''));
  if (!isKnown || !printed.startsWith(GROUP)) {
    return new OutputProblem(
      `printed an ExecCredential of no version of ${GROUP}, but the configuration says ${wanted}`,
      UPDATE,
    );
  }
  const remedy = /\/v1(?:beta1)?$/.test(printed)
    ? `set exec.apiVersion to ${printed}, or update the plug-in`
    : UPDATE;
  return new OutputProblem(
    `printed an ExecCredential of ${printed}, but the configuration says ${wanted}`,
    remedy,
  );
}

/** An empty text counts as left out, as in client-go. */
function textOf(status: Fields, name: string): string | undefined {
  const value = status[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new OutputProblem(`printed a status.${name} that is not a text`, UPDATE);
}

/** RFC 3339, section 5.6. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

function expiryOf(status: Fields): number | undefined {
  const text = textOf(status, 'expirationTimestamp');
  if (text === undefined) return undefined;
  const atMs = TIMESTAMP.test(text) ? Date.parse(text.toUpperCase()) : NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new OutputProblem(
    'printed a status.expirationTimestamp that is not a time such as 2030-01-31T12:00:00Z',
    UPDATE,
  );
}

/** Checks that certificate and key belong together, and returns when the certificate ends. */
function pairExpiry(cert: string | undefined, key: string | undefined): number | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const [has, lacks] =
      cert === undefined
        ? ['clientKeyData', 'clientCertificateData']
        : ['clientCertificateData', 'clientKeyData'];
    throw new OutputProblem(`printed a status.${has} without a status.${lacks}`, UPDATE);
  }
  const certificate = certificateOf(cert);
  const privateKey = keyOf(key);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new OutputProblem('printed a client key that does not belong to its certificate', UPDATE);
  }
  const endsAtMs = Date.parse(certificate.validTo);
  return Number.isNaN(endsAtMs) ? undefined : endsAtMs;
}

function certificateOf(cert: string): X509Certificate {
  try {
    // Without the check, a certificate in DER would be accepted here and refused by TLS.
    if (cert.includes('-----BEGIN CERTIFICATE-----')) return new X509Certificate(cert);
  } catch {
    // Reported below.
  }
  throw new OutputProblem(
    'printed a status.clientCertificateData that is not a certificate in PEM',
    UPDATE,
  );
}

function keyOf(key: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(key);
  } catch {
    throw new OutputProblem(
      'printed a status.clientKeyData that is not an unencrypted private key in PEM',
      UPDATE,
    );
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
