import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../lib/client/rest/resource-client.ts';
import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { ApiError } from '../../lib/meta/failure/api-error.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { KeyValueStore } from '../../lib/server/mvcc/contract/key-value-store.ts';
import { Observer } from '../path/support/observer.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A server, a client of it, and an informer on it. */
export class ApiFrontEnd implements AsyncDisposable {
  readonly name: string;
  readonly server: ApiServer;
  readonly client: Client;
  readonly configMaps: ResourceClient<ConfigMap>;
  readonly informer: SharedIndexInformer<ConfigMap>;
  readonly observer: Observer;
  relists = 0;
  readonly #running: Promise<void>;

  private constructor(name: string, server: ApiServer, client: Client) {
    this.name = name;
    this.server = server;
    this.client = client;
    const namespace = { namespace: 'default' };
    this.configMaps = client.resource<ConfigMap>('v1', 'configmaps', namespace);
    this.observer = new Observer(`informer on ${name}`);
    this.informer = new SharedIndexInformer<ConfigMap>({
      listerWatcher: client.listerWatcher<ConfigMap>(
        { apiVersion: 'v1', resource: 'configmaps' },
        namespace,
      ),
      // Failures are what this is about.
      onError: () => {},
    });
    this.informer.addHandler(this.observer.objectHandler());
    this.informer.events.on('relist', () => (this.relists += 1));
    this.#running = this.informer.run();
  }

  static async start(
    name: string,
    keyValueStore: KeyValueStore,
    requestTimeoutMs: number,
  ): Promise<ApiFrontEnd> {
    const server = new ApiServer({ keyValueStore, requestTimeoutMs, logger: silentLogger });
    await server.listen();
    return new ApiFrontEnd(name, server, await connect(server.clientConfig()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informer.close();
    await this.#running;
    await this.client.close();
    await this.server.close();
  }
}

/** A write that a server said was done. */
export interface AcknowledgedWrite {
  readonly name: string;
  readonly resourceVersion: string;
  readonly at: string;
}

/** The observations of the users of the API. */
export class ApiExperience {
  requests = 0;
  readonly acknowledged: AcknowledgedWrite[] = [];
  /** By `code reason`, what was answered that is not a success. */
  readonly failures: Map<string, number> = new Map();
  /** Failures without a Status: there must be none, the servers are never killed. */
  readonly strange: string[] = [];
  /** Writes with an unknown outcome. */
  reportedUnknown = 0;
  slowestMs = 0;

  async measure<R>(work: Promise<R>): Promise<R | undefined> {
    const startedAtMs = performance.now();
    this.requests += 1;
    try {
      return await work;
    } catch (error) {
      this.#fail(error);
      return undefined;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAtMs);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ApiError)) {
      this.strange.push(errorMessage(error));
      return;
    }
    if (/not known whether/.test(error.message)) this.reportedUnknown += 1;
    const key = `${error.httpStatus} ${error.reason}`;
    this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
  }
}

export interface ApiWriterOptions {
  readonly name: string;
  readonly frontEnd: ApiFrontEnd;
  readonly experience: ApiExperience;
  readonly random: () => number;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

const OBJECTS = 24;

/** One user of a server that creates, changes and deletes ConfigMaps which others change too. */
export async function writeConfigMaps(options: ApiWriterOptions): Promise<void> {
  const { name: writer, frontEnd, experience, random, paceMs, signal } = options;
  const { configMaps } = frontEnd;
  const acknowledge = (object: ConfigMap | undefined): void => {
    const { name, resourceVersion } = object?.metadata ?? {};
    if (name === undefined || resourceVersion === undefined) return;
    experience.acknowledged.push({ name, resourceVersion, at: frontEnd.name });
  };
  for (let count = 0; !signal.aborted; count += 1) {
    const name = `map-${Math.floor(random() * OBJECTS)}`;
    const data = { by: writer, count: String(count) };
    const draw = random();
    if (draw < 0.3) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
      acknowledge(await experience.measure(configMaps.create(object)));
    } else if (draw < 0.75) {
      const present = await experience.measure(configMaps.get(name));
      if (present !== undefined) {
        acknowledge(await experience.measure(configMaps.update({ ...present, data })));
      }
    } else if (draw < 0.9) {
      await experience.measure(configMaps.delete(name));
    } else {
      await experience.measure(configMaps.list());
    }
    await sleep(realRuntime, random() * 2 * paceMs, { signal }).catch(() => {});
  }
}
