import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../../../lib/server/api/api-server-options.ts';
import { call } from '../../api/support.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';

type Json = Record<string, unknown>;

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

/** A server without a socket, and short forms of its requests. */
export class Answers implements AsyncDisposable {
  readonly server: ApiServer;

  constructor(options?: ApiServerOptions) {
    this.server = new ApiServer({ logger: silentLogger, ...options });
  }

  async ask(
    method: string,
    path: string,
    body?: object,
    contentType: string = 'application/json',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const headers = { 'content-type': contentType, ...more };
    const { status, text } = await call(this.server.handler, method, path, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const json = text.startsWith('{') ? (JSON.parse(text) as Json) : {};
    return { status, text, body: json };
  }

  async post(path: string, body: object): Promise<Answer> {
    return await this.ask('POST', path, body);
  }

  async get(path: string): Promise<Answer> {
    return await this.ask('GET', path);
  }

  /** A request of another user. */
  async as(user: string, method: string, path: string, body?: object): Promise<Answer> {
    return await this.ask(method, path, body, undefined, { 'impersonate-user': user });
  }

  /** A merge patch. */
  async merge(path: string, body: object): Promise<Answer> {
    return await this.ask('PATCH', path, body, 'application/merge-patch+json');
  }

  /** A strategic merge patch. */
  async patch(path: string, body: object): Promise<Answer> {
    return await this.ask('PATCH', path, body, 'application/strategic-merge-patch+json');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

export const PODS = '/api/v1/namespaces/default/pods';

/** A pod of one container. */
export function podOf(name: string, spec: object = {}): object {
  return {
    metadata: { name, labels: { app: 'x' } },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
  };
}
