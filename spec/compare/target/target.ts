import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { dirname, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { isRecord } from '../normalise.ts';

/** A server under comparison. */
export interface TargetOptions {
  /** An answer that has not ended within this time is cut. @defaultValue 15 000 */
  readonly longestRequestMs?: number | undefined;
  /** http or https. */
  readonly server: string;
  readonly token?: string | undefined;
  /** PEM. Left out: the certificate of the server is not checked. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly anonymous: boolean;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** It did not end in time. */
  readonly cut: boolean;
}

/** Sends requests as they are: nothing is retried, redirected or added but the credentials. */
export class Target {
  readonly #options: TargetOptions;
  readonly #agent: http.Agent | https.Agent;

  constructor(options: TargetOptions) {
    this.#options = options;
    const { ca, cert, key } = options;
    this.#agent = options.server.startsWith('https:')
      ? new https.Agent({ keepAlive: true, ca, cert, key, rejectUnauthorized: ca !== undefined })
      : new http.Agent({ keepAlive: true });
  }

  async send(request: SentRequest): Promise<RawAnswer> {
    const { server, token, longestRequestMs = 15_000 } = this.#options;
    const url = new URL(server);
    const credentials =
      token === undefined || request.anonymous ? {} : { authorization: `Bearer ${token}` };
    const body = request.body === undefined ? undefined : Buffer.from(request.body);
    const options = {
      agent: this.#agent,
      host: url.hostname,
      port: url.port,
      method: request.method,
      path: request.path,
      headers: {
        'user-agent': 'compare/1',
        ...credentials,
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
        ...request.headers,
      },
      signal: AbortSignal.timeout(longestRequestMs),
    };
    return await new Promise((resolve, reject) => {
      const cut: RawAnswer = { status: 0, headers: {}, bytes: Buffer.alloc(0), cut: true };
      const fail = (error: Error): void => {
        if (options.signal.aborted) resolve(cut);
        else reject(error);
      };
      const sent = (url.protocol === 'https:' ? https : http).request(options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', fail);
        response.on('end', () => {
          const all = Buffer.concat(pieces);
          const zipped = response.headers['content-encoding'] === 'gzip';
          const bytes = zipped ? gunzipSync(all) : all;
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, bytes, cut: false });
        });
      });
      sent.on('error', fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The current context of a kubeconfig, with a token or a client certificate. */
export async function targetOfKubeconfig(file: string): Promise<TargetOptions> {
  const config: unknown = parse(await readFile(file, 'utf8'));
  const context = namedEntry(config, 'contexts', 'context', textMember(config, 'current-context'));
  const cluster = namedEntry(config, 'clusters', 'cluster', textMember(context, 'cluster'));
  const user = namedEntry(config, 'users', 'user', textMember(context, 'user'));
  const server = textMember(cluster, 'server');
  if (server === undefined) throw new Error(`${file}: the current context has no server`);
  const pem = async (from: unknown, name: string): Promise<string | undefined> => {
    const data = textMember(from, `${name}-data`);
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    const path = textMember(from, name);
    return path === undefined ? undefined : await readFile(resolve(dirname(file), path), 'utf8');
  };
  const tokenFile = textMember(user, 'tokenFile');
  return {
    server,
    token:
      textMember(user, 'token') ??
      (tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim()),
    ca: await pem(cluster, 'certificate-authority'),
    cert: await pem(user, 'client-certificate'),
    key: await pem(user, 'client-key'),
  };
}

function namedEntry(config: unknown, list: string, member: string, name?: string): unknown {
  const entries = isRecord(config) && Array.isArray(config[list]) ? config[list] : [];
  const entry: unknown = entries.find((one: unknown) => isRecord(one) && one['name'] === name);
  if (isRecord(entry)) return entry[member];
  throw new Error(`the kubeconfig has no entry ${JSON.stringify(name)} in ${list}`);
}

function textMember(from: unknown, name: string): string | undefined {
  const value = isRecord(from) ? from[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
