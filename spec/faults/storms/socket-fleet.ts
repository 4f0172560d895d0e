import { isIP } from 'node:net';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import type { ConnectionConfig } from '../../../lib/client/config/contract/connection-config.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { RetryingTransport } from '../../../lib/client/transport/flow/retry.ts';
import type { Transport } from '../../../lib/client/transport/contract/transport.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { pause } from '../world/exchange.ts';
import { mostASecond, type StormFigures } from './storm-figures.ts';
import { TcpProxy } from './tcp-proxy.ts';

const RESOURCE = { apiVersion: 'v1', resource: 'configmaps' };
const PREFIX = 'storm-';
const SAMPLE_MS = 10;
const LIMIT_MS = 120_000;
const SYNC_LIMIT_MS = 60_000;

interface Sample {
  watching: number;
  backingOff: number;
  taken: number;
}

/** Informers of one client with default options, over sockets, behind a proxy that breaks; a writer goes past it. */
export class SocketFleet implements AsyncDisposable {
  readonly proxy: TcpProxy;
  readonly informers: readonly SharedIndexInformer<KubernetesObject>[];
  unknownDeletions = 0;
  relists = 0;
  /** Errors by code. */
  readonly errors: Map<string, number> = new Map();
  readonly #client: Client;
  readonly #writer: Client;
  readonly #namespace: string;
  readonly #attempts: number[] = [];
  readonly #running: readonly Promise<void>[];
  readonly #names = new Set<string>();
  #sample: Sample = { watching: 0, backingOff: 0, taken: 0 };
  readonly #sampler: NodeJS.Timeout;

  private constructor(proxy: TcpProxy, config: ConnectionConfig, informers: number) {
    this.proxy = proxy;
    const { server, credentials, tls, namespace } = config;
    this.#namespace = namespace;
    this.#writer = new Client({
      transport: new RetryingTransport(new AxiosTransport({ server, credentials, tls })),
    });
    const { protocol, hostname } = new URL(server);
    const serverName = tls.serverName ?? (isIP(hostname) > 0 ? undefined : hostname);
    const http = new AxiosTransport({
      server: `${protocol}//127.0.0.1:${proxy.port}`,
      credentials,
      tls: { ...tls, serverName },
    });
    this.#client = new Client({ transport: new RetryingTransport(this.#counting(http)) });
    this.informers = Array.from({ length: informers }, () => this.#newInformer());
    this.#running = this.informers.map((informer) => informer.run());
    this.#sampler = setInterval(() => this.#look(), SAMPLE_MS);
  }

  static async start(config: ConnectionConfig, informers: number): Promise<SocketFleet> {
    const { hostname, port, protocol } = new URL(config.server);
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const proxy = new TcpProxy({ host: hostname, port: port === '' ? defaultPort : Number(port) });
    await proxy.up();
    const fleet = new SocketFleet(proxy, config, informers);
    try {
      await fleet.#removeAll();
      for (const informer of fleet.informers)
        await informer.whenSynced({ timeoutMs: SYNC_LIMIT_MS });
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
    return fleet;
  }

  /** All watch, and show what was written. */
  get consistent(): boolean {
    const names = [...this.#names].toSorted().join();
    return this.informers.every((informer) => {
      const keys = informer.indexer.keys().filter((key) => key.includes(`/${PREFIX}`));
      return informer.inspect().connected && keys.toSorted().join() === names;
    });
  }

  get watching(): number {
    return this.informers.filter((informer) => informer.inspect().connected).length;
  }

  async create(name: string): Promise<void> {
    const metadata = { name: PREFIX + name };
    await this.#maps().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    this.#names.add(`${this.#namespace}/${PREFIX}${name}`);
  }

  async delete(name: string): Promise<void> {
    await this.#maps().delete(PREFIX + name);
    this.#names.delete(`${this.#namespace}/${PREFIX}${name}`);
  }

  /** Seconds until the condition holds; undefined when it never does. */
  async until(condition: () => boolean): Promise<number | undefined> {
    const sinceMs = performance.now();
    while (!condition()) {
      if (performance.now() - sinceMs > LIMIT_MS) return undefined;
      await pause(SAMPLE_MS);
    }
    return (performance.now() - sinceMs) / 1000;
  }

  /** Begins to measure; the returned function says what came of it. */
  measure(): () => Pick<StormFigures, 'watching' | 'backingOff' | 'mostASecond' | 'relists'> {
    this.#sample = { watching: 0, backingOff: 0, taken: 0 };
    const firstAttempt = this.#attempts.length;
    const relistsBefore = this.relists;
    return () => {
      const { watching, backingOff, taken } = this.#sample;
      const all = Math.max(1, taken) * this.informers.length;
      return {
        watching: watching / all,
        backingOff: backingOff / all,
        mostASecond: mostASecond(this.#attempts.slice(firstAttempt)),
        relists: this.relists - relistsBefore,
      };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sampler);
    for (const informer of this.informers) await informer.close();
    await Promise.all(this.#running);
    await this.#removeAll();
    await this.#client.close();
    await this.#writer.close();
    await this.proxy[Symbol.asyncDispose]();
  }

  #look(): void {
    this.#sample.taken += 1;
    for (const informer of this.informers) {
      const { connected, reflector } = informer.inspect();
      if (connected) this.#sample.watching += 1;
      if (reflector === 'backing-off') this.#sample.backingOff += 1;
    }
  }

  #counting(transport: Transport): Transport {
    const attempts = this.#attempts;
    return {
      server: transport.server,
      send: (request) => {
        attempts.push(performance.now());
        return transport.send(request);
      },
      close: () => transport.close(),
    };
  }

  #newInformer(): SharedIndexInformer<KubernetesObject> {
    const informer = new SharedIndexInformer<KubernetesObject>({
      // The storms are of many watches.
      share: false,
      listerWatcher: this.#client.listerWatcher<KubernetesObject>(RESOURCE, {
        namespace: this.#namespace,
      }),
      logger: silentLogger,
    });
    informer.events.on('relist', () => (this.relists += 1));
    informer.events.on('watch-error', (error) => {
      const code = isListwatchError(error) ? error.code : 'other';
      this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
    });
    informer.addHandler({
      view: 'key',
      onDelete: ({ finalStateUnknown }) => {
        if (finalStateUnknown) this.unknownDeletions += 1;
      },
    });
    return informer;
  }

  #maps(): ReturnType<Client['resource']> {
    return this.#writer.resource(RESOURCE.apiVersion, RESOURCE.resource, {
      namespace: this.#namespace,
    });
  }

  /** Of this run, and of one before that was interrupted. */
  async #removeAll(): Promise<void> {
    const { items } = await this.#maps().list();
    for (const { metadata } of items) {
      const name = metadata?.name ?? '';
      if (!name.startsWith(PREFIX)) continue;
      await this.#maps()
        .delete(name)
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
    this.#names.clear();
  }
}
