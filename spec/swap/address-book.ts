import type { Client } from '../../lib/client/rest/client.ts';
import type { Stored } from '../../lib/meta/stored.ts';
import type { WatchEvent } from '../../lib/meta/watch-event.ts';
import type { Service } from '../../lib/types/index.ts';

/** Watches the services of a server and notes each address and each port that two of them have at the same time. */
export class AddressBook {
  readonly #owners = new Map<string, string>();
  readonly #of = new Map<string, readonly string[]>();
  readonly #twice: string[] = [];
  readonly #stop = new AbortController();
  #most = 0;
  #running: Promise<void> = Promise.resolve();

  /** `address: services` that had it at the same time. */
  get twice(): readonly string[] {
    return this.#twice;
  }

  /** The largest number of addresses and ports in use. */
  get most(): number {
    return this.#most;
  }

  /** Follows until it is disposed of. */
  async start(client: Client): Promise<void> {
    const services = client.resource('v1', 'services');
    const { items, resourceVersion } = await services.listAll();
    for (const service of items) this.#set(service);
    this.#running = this.#follow(services.watch({ resourceVersion, signal: this.#stop.signal }));
  }

  /** @throws when the watch has ended before. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(events: AsyncIterable<WatchEvent<Stored<Service>>>): Promise<void> {
    try {
      for await (const event of events) {
        if (event.type === 'DELETED') this.#remove(uidOf(event.object));
        else if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#set(event.object);
      }
      throw new Error('the watch of the services has ended');
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#twice.push(`the watch failed: ${String(error)}`);
    }
  }

  #set(service: Service): void {
    const uid = uidOf(service);
    this.#remove(uid);
    const addresses = addressesOf(service);
    this.#of.set(uid, addresses);
    for (const address of addresses) {
      const owner = this.#owners.get(address);
      if (owner !== undefined) this.#twice.push(`${address}: ${owner} and ${uid}`);
      this.#owners.set(address, uid);
    }
    this.#most = Math.max(this.#most, this.#owners.size);
  }

  #remove(uid: string): void {
    for (const address of this.#of.get(uid) ?? []) {
      if (this.#owners.get(address) === uid) this.#owners.delete(address);
    }
    this.#of.delete(uid);
  }
}

function uidOf({ metadata }: Service): string {
  return metadata?.uid ?? '';
}

function addressesOf({ spec }: Service): readonly string[] {
  const ports = (spec?.ports ?? []).flatMap(({ nodePort, protocol }) =>
    nodePort === undefined ? [] : [`port ${nodePort}/${protocol ?? 'TCP'}`],
  );
  return [...(spec?.clusterIPs ?? []).filter((ip) => ip !== 'None'), ...ports];
}
