import { randomInteger } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  internalError,
  isAlreadyExists,
  isConflict,
  isNotFound,
} from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import { recordAt, recordsAt, textsAt } from '../../meta/json-value.ts';
import {
  ipText,
  networkText,
  parseCidr,
  parseIp,
  type IpNetwork,
} from '../../server/registry/validation/addresses/ip-address.ts';

const GROUP = 'networking.k8s.io';
/** Of addresses that an API server assigned, as kube-apiserver labels them. */
const MANAGER = 'ipallocator.k8s.io';
/** The range while no ServiceCIDR is stored. */
const DEFAULT_RANGE = '10.96.0.0/12';

/** Longer than any request runs. kube-apiserver's repair waits as long. */
const LEAKED_AFTER_MS = 60_000;

const ALLOCATED = 'provided IP is already allocated';
const OTHER_NETWORK = 'the provided network does not match the current range';

/** The Service for which an address is taken. */
export interface AddressOwner {
  readonly namespace: string;
  readonly name: string;
}

/** A range with its usable addresses. */
interface AddressRange {
  readonly network: IpNetwork;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Assigns addresses of services by creating their IPAddress objects, so that several servers over one storage assign no address
 * twice. The ranges are those of the ServiceCIDR objects that are ready.
 * @see pkg/registry/core/service/ipallocator @ v1.36.3
 */
export class ClusterAddresses {
  readonly #parts: Pick<HookParts, 'storeOf' | 'runtime'>;

  constructor(parts: Pick<HookParts, 'storeOf' | 'runtime'>) {
    this.#parts = parts;
  }

  /** Takes an address. Returns why that is not possible. */
  async take(owner: AddressOwner, text: string, dryRun: boolean): Promise<string | undefined> {
    const ip = parseIp(text);
    if (ip === undefined) return `failed to parse service IP "${text}"`;
    const ranges = await this.#ranges();
    const isIn = ({ first, last, network }: AddressRange): boolean =>
      network.address.family === ip.family && ip.value >= first && ip.value <= last;
    if (ranges.some(isIn)) {
      const name = ipText(ip);
      const isFree =
        dryRun || (await this.#create(name, owner)) || (await this.#reclaim(name, owner));
      return isFree ? undefined : ALLOCATED;
    }
    const [range] = ranges;
    if (!dryRun || range === undefined) return OTHER_NETWORK;
    return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${networkText(range.network)}`;
  }

  /** Takes a free address; a dry run shows the address of the network. Undefined when all are taken. */
  async takeNext(owner: AddressOwner, dryRun: boolean): Promise<string | undefined> {
    for (const range of await this.#ranges()) {
      const { family } = range.network.address;
      if (dryRun) return ipText({ family, value: range.network.start });
      // The first one is free in nearly all cases, so that the others alone are looked up before.
      let isFirst = true;
      for (const value of candidates(range, this.#parts.runtime)) {
        const text = ipText({ family, value });
        if (!isFirst && (await this.#isTaken(text))) continue;
        if (await this.#create(text, owner)) return text;
        isFirst = false;
      }
    }
    return undefined;
  }

  /** Gives addresses back; those that are free have no effect. */
  async release(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const ip = parseIp(text);
      if (ip === undefined) continue;
      try {
        await this.#addresses().delete(serverContext(''), ipText(ip), {});
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  /** Takes the address of a stored Service for which there is no object: it was stored by an older version. */
  async restore(owner: AddressOwner, text: string): Promise<void> {
    const ip = parseIp(text);
    if (ip === undefined || (await this.#isTaken(ipText(ip)))) return;
    await this.#create(ipText(ip), owner);
  }

  /** Takes an address whose service a server did not store, because it ended before. */
  async #reclaim(name: string, owner: AddressOwner): Promise<boolean> {
    try {
      const { object } = await this.#addresses().get(serverContext(''), name);
      const { uid, creationTimestamp = '' } = object.metadata ?? {};
      const age = this.#parts.runtime.wallMs() - Date.parse(String(creationTimestamp));
      if (!(age > LEAKED_AFTER_MS) || (await this.#isOwned(object))) return false;
      await this.#addresses().delete(serverContext(''), name, { preconditions: { uid } });
    } catch (error) {
      // Another server was faster.
      if (isNotFound(error) || isConflict(error)) return false;
      throw error;
    }
    return await this.#create(name, owner);
  }

  /** Whether the service of an address is stored; what names no service is not looked up. */
  async #isOwned(address: UnstructuredObject): Promise<boolean> {
    const { group = '', resource, namespace, name } = recordAt(address, 'spec', 'parentRef') ?? {};
    const services = this.#parts.storeOf('', 'services');
    if (group !== '' || resource !== 'services' || services === undefined) return true;
    try {
      await services.get(serverContext(String(namespace)), String(name));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** From the watch cache: a taken address that it does not have yet is found when the object is created. */
  async #isTaken(name: string): Promise<boolean> {
    try {
      await this.#addresses().get(serverContext(''), name, { resourceVersion: '0' });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** False when the address is taken. */
  async #create(name: string, { namespace, name: service }: AddressOwner): Promise<boolean> {
    const address: UnstructuredObject = {
      apiVersion: `${GROUP}/v1`,
      kind: 'IPAddress',
      metadata: {
        name,
        labels: {
          'ipaddress.kubernetes.io/ip-family': name.includes(':') ? 'IPv6' : 'IPv4',
          'ipaddress.kubernetes.io/managed-by': MANAGER,
        },
      },
      spec: { parentRef: { resource: 'services', namespace, name: service } },
    };
    try {
      await this.#addresses().create(serverContext(''), address, {
        fieldManager: 'kube-apiserver',
      });
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  #addresses(): ObjectStore {
    return this.#storeOf('ipaddresses');
  }

  #storeOf(resource: string): ObjectStore {
    const store = this.#parts.storeOf(GROUP, resource);
    if (store === undefined) throw internalError(`services need ${resource}.${GROUP} to be served`);
    return store;
  }

  async #ranges(): Promise<readonly AddressRange[]> {
    const store = this.#storeOf('servicecidrs');
    const { items } = await store.list(serverContext(''), { resourceVersion: '0' });
    const ready = items.filter(({ object }) => isReady(object)).toSorted(defaultFirst);
    const texts = ready.flatMap(({ object }) => textsAt(object, 'spec', 'cidrs'));
    return (items.length === 0 ? [DEFAULT_RANGE] : texts).flatMap((text) => rangeOf(text) ?? []);
  }
}

/** The range that every cluster has comes first; kube-apiserver takes the ranges in any order. */
function defaultFirst(left: { readonly key: string }, right: { readonly key: string }): number {
  return Number(isDefault(right)) - Number(isDefault(left));
}

function isDefault({ key }: { readonly key: string }): boolean {
  return key.endsWith('/kubernetes');
}

function isReady(object: UnstructuredObject): boolean {
  if (object.metadata?.deletionTimestamp !== undefined) return false;
  const condition = recordsAt(object, 'status', 'conditions').find(
    (one) => one['type'] === 'Ready',
  );
  return condition === undefined || condition['status'] === 'True';
}

/** Without the address of the network, and without the broadcast address of IPv4. Only IPv4 is assigned. */
function rangeOf(text: string): AddressRange | undefined {
  const network = parseCidr(text);
  if (network === undefined || network.address.family !== 4) return undefined;
  const last = network.start + (1n << BigInt(32 - network.length)) - 2n;
  return { network, first: network.start + 1n, last };
}

/**
 * The addresses of a range in the order in which they are tried: from a random one on, those in its lower part last, because people
 * choose from them.
 */
function* candidates({ network, first, last }: AddressRange, runtime: Runtime): Generator<bigint> {
  const size = Number(last - first + 1n);
  const kept = reservedOf(2 ** (32 - network.length), 16, 256);
  for (const [from, count] of [
    [kept, size - kept],
    [0, Math.min(kept, size)],
  ] as const) {
    if (count <= 0) continue;
    const start = randomInteger(runtime, 0, count - 1);
    for (let step = 0; step < count; step += 1) {
      yield first + BigInt(from + ((start + step) % count));
    }
  }
}

/** How many numbers at the start of a range are assigned last. @see KEP-3070 */
export function reservedOf(size: number, step: number, most: number): number {
  const least = 16;
  if (size <= least) return 0;
  return Math.min(Math.max(least, Math.floor(size / step)), most);
}
