import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { AxiosTransport } from '../../../transport/axios-transport.ts';
import { readBody } from '../../../transport/body/read-body.ts';
import type { PemSource } from '../../../transport/contract/tls-options.ts';
import { unreachableIssuer } from './oidc-error.ts';

export interface IssuerSettings {
  /** For messages. */
  readonly source: string;
  readonly ca: PemSource | undefined;
  /** Takes scheme, host and port. */
  readonly proxyFor: (address: string) => string | undefined;
  readonly userAgent: string | undefined;
  readonly runtime: Runtime;
}

export interface IssuerRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** With it the request is a POST. */
  readonly form?: URLSearchParams | undefined;
}

export interface IssuerAnswer {
  readonly status: number;
  /** The fields of a JSON object; undefined for any other body. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

const TIMEOUTS = { connectMs: 10_000, headersMs: 20_000, idleMs: 20_000, totalMs: 30_000 };

const LARGEST_ANSWER_BYTES = 1_048_576;

/**
 * One request to the issuer, over a connection of its own: they are rare, and no idle connection is left behind.
 * @throws {ListwatchError} code OIDC without an answer.
 */
export async function askIssuer(
  { url, headers, form }: IssuerRequest,
  { source, ca, proxyFor, userAgent, runtime }: IssuerSettings,
): Promise<IssuerAnswer> {
  const method = form === undefined ? 'GET' : 'POST';
  const target = { server: url.origin, method, path: url.pathname };
  let transport: AxiosTransport | undefined;
  try {
    transport = new AxiosTransport({
      server: url.origin,
      tls: { ca },
      proxy: proxyFor(url.origin),
      timeouts: TIMEOUTS,
      userAgent,
      runtime,
    });
    const { status, body } = await transport.send({
      method,
      path: url.pathname + url.search,
      headers: { accept: 'application/json', ...headers },
      body: form === undefined ? undefined : Buffer.from(form.toString(), 'utf8'),
    });
    return { status, fields: fieldsOf(await readBody(body, LARGEST_ANSWER_BYTES, target)) };
  } catch (error) {
    throw unreachableIssuer(source, url.origin + url.pathname, error);
  } finally {
    await transport?.close();
  }
}

function fieldsOf(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return parsed as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
