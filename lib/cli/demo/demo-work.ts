import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import { controller } from '../../controller/builder/controller-builder.ts';
import type { Controller } from '../../controller/builder/controller.ts';
import { silentLogger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ConfigMap } from '../../types/built-in/core-v1-kinds.ts';

const PAGES = 40;
const NAMESPACE = 'demo';
/** Between two changes. */
const PACE_MS = 400;
const LONGEST_RUN_MS = 300;

export interface DemoWorkOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** A small program to look at: a controller of config maps, and somebody who changes them. One of them always fails. */
export class DemoWork implements AsyncDisposable {
  readonly pages: Controller<ConfigMap>;
  readonly #options: DemoWorkOptions;
  readonly #informers: SharedInformerFactory;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: DemoWorkOptions) {
    const { client, runtime } = options;
    this.#options = options;
    const common = { runtime, logger: silentLogger, namespace: NAMESPACE };
    this.#informers = new SharedInformerFactory(client, common);
    const informers = this.#informers;
    this.pages = controller(client, 'v1', 'configmaps', {
      ...common,
      informers,
      everyUpdate: true,
    }).reconcile(async ({ metadata, data }, { signal }) => {
      await sleep(runtime, runtime.random() * LONGEST_RUN_MS, { signal });
      if (data?.['title'] === '') throw new Error(`the page ${metadata.name} has no title`);
    });
  }

  /** Resolves when the controller works; the changes go on until the signal aborts. */
  async start(): Promise<void> {
    const { client, signal } = this.#options;
    const metadata = { name: NAMESPACE };
    await client
      .resource('v1', 'namespaces')
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE, signal });
    for (let number = 0; number < PAGES; number += 1) {
      const name = `page-${number}`;
      const data = { title: number === 7 ? '' : `Page ${number}`, visits: '0' };
      await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
    }
    this.#running = this.pages.run({ signal });
    // The command reports the failure of the controller by its end.
    this.#running.catch(() => {});
    await this.pages.whenReady({ signal });
    this.#running = Promise.allSettled([this.#running, this.#change()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pages.close();
    await this.#running;
    await this.#informers.close();
  }

  async #change(): Promise<void> {
    const { client, signal, runtime } = this.#options;
    const maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE, signal });
    for (let visits = 1; !signal.aborted; visits += 1) {
      await sleep(runtime, PACE_MS, { signal });
      const name = `page-${Math.floor(runtime.random() * PAGES)}`;
      await maps.patch(name, { data: { visits: String(visits) } });
    }
  }
}
