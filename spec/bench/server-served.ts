import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../lib/server/storage/key-value-storage.ts';
import { collectGarbage } from './bench.ts';
import { pod } from './requests.ts';
import { InformerCrowd } from './server-informers.ts';

/** The settings for a client of the server. */
export interface Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Of its TLS address, PEM. */
  readonly authority: string;
}

export interface Strain {
  /** The most memory that was resident, over what was before, in bytes. */
  readonly memory: number;
  /** The longest time in which the event loop did nothing else, milliseconds. */
  readonly blockedMs: number;
  readonly cpuMs: number;
}

/** A server in a process of its own. */
export class ServedApi {
  #server: ApiServer | undefined;
  #crowd: InformerCrowd | undefined;
  #delay: IntervalHistogram | undefined;
  #idle = 0;
  #cpu = process.cpuUsage();

  /** @param pods are there when it begins, of 3.9 KB each */
  async start(pods: number = 0): Promise<Served> {
    const keyValueStore = new EmbeddedKeyValueStore();
    await fill(keyValueStore, pods);
    const server = new ApiServer({ keyValueStore });
    await server.listen();
    this.#server = server;
    const { url, token, certificateAuthority: authority } = server;
    return { url, token, authority, port: Number(new URL(url).port) };
  }

  /** Informers in the process of the server, without HTTP. */
  async follow(count: number, share: boolean = true): Promise<void> {
    const server = this.#server as ApiServer;
    this.#crowd = new InformerCrowd();
    await this.#crowd.follow(count, share, () =>
      server.listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }),
    );
  }

  async until(events: number): Promise<number> {
    return await (this.#crowd as InformerCrowd).until(events);
  }

  /** From here on strain counts. */
  relax(): void {
    collectGarbage();
    this.#idle = process.memoryUsage.rss();
    resetPeak();
    this.#delay = monitorEventLoopDelay({ resolution: 1 });
    this.#delay.enable();
    this.#cpu = process.cpuUsage();
  }

  strain(): Strain {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#delay?.disable();
    return {
      memory: peak() - this.#idle,
      blockedMs: (this.#delay?.max ?? 0) / 1e6,
      cpuMs: (user + system) / 1000,
    };
  }

  async close(): Promise<void> {
    await this.#crowd?.close();
    await this.#server?.close();
  }
}

async function fill(store: EmbeddedKeyValueStore, pods: number): Promise<void> {
  const resourcePrefix = '/registry/pods/';
  const storage = new KeyValueStorage({ store, resourcePrefix });
  for (let index = 0; index < pods; index += 1) {
    const object = pod(index);
    const { namespace, name } = object.metadata;
    await storage.create(`${resourcePrefix}${namespace}/${name}`, object);
  }
}

/** Linux keeps the peak, and forgets it on request; elsewhere there is what is now. */
function resetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function peak(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
