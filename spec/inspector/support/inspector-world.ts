import { request } from 'node:http';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { InspectorOptions } from '../../../lib/inspector/inspector-options.ts';
import { serveInspector, type Inspector } from '../../../lib/inspector/serve-inspector.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { CustomResourceDefinition } from '../../../lib/types/built-in/apiextensions-v1-kinds.ts';
import type { ConfigMap, Secret } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { until, within } from '../../support/until.ts';

export type Work = (name: string, signal: AbortSignal) => Promise<void>;

export interface WorldOptions {
  readonly work?: Work | undefined;
  readonly concurrency?: number | undefined;
  /** The time between the retries of a key. @defaultValue it grows */
  readonly retryMs?: number | undefined;
  /** A handler of widgets, which a definition of the world serves once `fill` is called. */
  readonly handler?: (() => Promise<void>) | undefined;
}

const CREATORS = 50;

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
}

const WIDGETS: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/** A server, a controller of config maps with its informer, an informer of secrets, and an inspector of them all. */
export class InspectorWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly pages: Controller<ConfigMap>;
  readonly #options: WorldOptions;
  #running: Promise<void> | undefined;
  #inspector: Inspector | undefined;

  private constructor(client: Client, server: ApiServer, options: WorldOptions) {
    this.#options = options;
    this.client = client;
    this.server = server;
    const { work = async () => {}, concurrency = 2, retryMs } = options;
    const backoff = { baseMs: 50, capMs: 200 };
    this.informers = new SharedInformerFactory(client, { logger: silentLogger, backoff });
    const rateLimiter =
      retryMs === undefined
        ? undefined
        : new ItemExponentialRateLimiter({ baseMs: retryMs, capMs: retryMs });
    const common = { logger: silentLogger, concurrency, name: 'pages', rateLimiter };
    const own = { informers: this.informers, ...common };
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

  /** So many widgets, which the server has at once; with a handler, they are watched. */
  async fill(count: number): Promise<void> {
    const { handler } = this.#options;
    const { server } = this;
    await this.client
      .resource('apiextensions.k8s.io/v1', 'customresourcedefinitions')
      .create(WIDGETS);
    const widgets = this.client.resource<Widget>('example.com/v1', 'widgets', {
      namespace: 'shop',
    });
    await until(
      'the definition',
      async () =>
        await widgets.list().then(
          () => true,
          () => false,
        ),
    );
    if (handler !== undefined) {
      const informer = this.informers.for<Widget>('example.com/v1', 'widgets');
      informer.addHandler({ onAdd: handler }, { name: 'index of widgets' });
    }
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', spec: { size: 1 } };
    const create = async (first: number): Promise<void> => {
      for (let index = first; index < count; index += CREATORS) {
        const metadata = { name: `widget-${index}`, namespace: 'shop' };
        const answer = await server.handler({
          method: 'POST',
          url: '/apis/example.com/v1/namespaces/shop/widgets',
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify({ ...body, metadata })),
          signal: new AbortController().signal,
        });
        if (answer.status !== 201) throw new Error(`a widget was refused: ${answer.status}`);
      }
    };
    await Promise.all(Array.from({ length: CREATORS }, (_, first) => create(first)));
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
