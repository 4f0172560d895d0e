import { request } from 'node:http';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { InspectorOptions } from '../../../lib/inspector/inspector-options.ts';
import { serveInspector, type Inspector } from '../../../lib/inspector/serve-inspector.ts';
import { ApiServer } from '../../../lib/server/api/api-server.ts';
import type { ConfigMap, Secret } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { within } from '../../support/until.ts';

export type Work = (name: string, signal: AbortSignal) => Promise<void>;

export interface WorldOptions {
  readonly work?: Work | undefined;
  readonly concurrency?: number | undefined;
}

/** A server, a controller of config maps with its informer, an informer of secrets, and an inspector of them all. */
export class InspectorWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly pages: Controller<ConfigMap>;
  #running: Promise<void> | undefined;
  #inspector: Inspector | undefined;

  private constructor(client: Client, server: ApiServer, options: WorldOptions) {
    this.client = client;
    this.server = server;
    const { work = async () => {}, concurrency = 2 } = options;
    const backoff = { baseMs: 50, capMs: 200 };
    this.informers = new SharedInformerFactory(client, { logger: silentLogger, backoff });
    const own = { informers: this.informers, logger: silentLogger, concurrency, name: 'pages' };
    this.pages = controller(client, 'v1', 'configmaps', own).reconcile(
      async ({ metadata }, { signal }) => {
        await work(metadata.name, signal);
      },
    );
    this.informers.for('v1', 'secrets');
  }

  /** Everything runs; the cache of each informer is filled. */
  static async start(options: WorldOptions = {}): Promise<InspectorWorld> {
    const server = new ApiServer();
    await server.listen();
    const world = new InspectorWorld(await connect(server.clientConfig()), server, options);
    await world.#start();
    return world;
  }

  async inspect(options: InspectorOptions = {}): Promise<Inspector> {
    const { pages, informers, client, server } = this;
    await this.closeInspector();
    this.#inspector = await serveInspector({
      controllers: pages,
      informers,
      client,
      server,
      title: 'shop operator',
      logger: silentLogger,
      ...options,
    });
    return this.#inspector;
  }

  async closeInspector(): Promise<void> {
    await this.#inspector?.close();
  }

  async createPage(
    name: string,
    data: Readonly<Record<string, string>> = { title: name },
  ): Promise<void> {
    await this.client.resource('v1', 'configmaps', { namespace: 'shop' }).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inspector?.close();
    await this.pages.close();
    await this.#running;
    await this.informers.close();
    await this.client.close();
    await this.server.close();
  }

  async #start(): Promise<void> {
    await this.client
      .resource('v1', 'namespaces')
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'database' },
      stringData: { password: 'correct-horse' },
    };
    await this.client.resource('v1', 'secrets', { namespace: 'shop' }).create(secret);
    this.informers.start();
    this.#running = this.pages.run();
    await this.informers.whenSynced();
    await this.pages.whenReady();
  }
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface AskOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request with any headers, also those that `fetch` does not let programs set. */
export async function ask(
  url: string,
  path: string,
  { method = 'GET', headers = {} }: AskOptions = {},
): Promise<Got> {
  const answer = new Promise<Got>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
  return await within(answer, `an answer at ${path}`);
}
