import { randomInteger } from '../../../../kernel/random.ts';
import type { Runtime } from '../../../../kernel/runtime.ts';
import type { UnstructuredObject } from '../../../../meta/object.ts';
import type { StorageInterface } from '../../../storage/contract/storage-interface.ts';
import { reservedOf } from './cluster-addresses.ts';

/** See pkg/kubeapiserver/options DefaultServiceNodePortRange @ v1.36.3. */
const LOW = 30_000;
const SIZE = 2768;
const RANGE = `${LOW}-${LOW + SIZE - 1}`;

/** Where kube-apiserver keeps the ports that are taken. */
export const RANGES_ROOT = '/registry/ranges';
const KEY = `${RANGES_ROOT}/servicenodeports`;

export const PORT_TAKEN = 'provided port is already allocated';
export const PORT_OUTSIDE: string = `provided port is not in the valid range. The range of valid ports is ${RANGE}`;

/** The taken ports, as one change of them sees them. */
export class TakenPorts {
  readonly #bytes: Uint8Array;

  constructor(data = '') {
    const given = Buffer.from(data, 'base64');
    // A big integer in which the bit of a taken port is set: the first byte has the highest ports.
    this.#bytes = new Uint8Array(SIZE / 8);
    const kept = given.subarray(Math.max(0, given.length - this.#bytes.length));
    this.#bytes.set(kept, this.#bytes.length - kept.length);
  }

  has(port: number): boolean {
    const [at, bit] = placeOf(port);
    return isInRange(port) && ((this.#bytes[at] ?? 0) & bit) !== 0;
  }

  set(port: number, isTaken: boolean): void {
    if (!isInRange(port)) return;
    const [at, bit] = placeOf(port);
    const byte = this.#bytes[at] ?? 0;
    this.#bytes[at] = isTaken ? byte | bit : byte & ~bit;
  }

  /** Takes a port. Returns why that is not possible. */
  take(port: number): string | undefined {
    if (!isInRange(port)) return PORT_OUTSIDE;
    if (this.has(port)) return PORT_TAKEN;
    this.set(port, true);
    return undefined;
  }

  /** Takes a free port: a random one, those at the start of the range last. Undefined when all are taken. */
  takeNext(runtime: Runtime): number | undefined {
    const kept = reservedOf(SIZE, 32, 128);
    for (const [from, count] of [
      [kept, SIZE - kept],
      [0, kept],
    ] as const) {
      const start = randomInteger(runtime, 0, count - 1);
      for (let step = 0; step < count; step += 1) {
        const port = LOW + from + ((start + step) % count);
        if (this.take(port) === undefined) return port;
      }
    }
    return undefined;
  }

  /** As base64, without the zeros in front. */
  get data(): string {
    const start = this.#bytes.findIndex((byte) => byte !== 0);
    return Buffer.from(start < 0 ? [] : this.#bytes.subarray(start)).toString('base64');
  }
}

function isInRange(port: number): boolean {
  return port >= LOW && port < LOW + SIZE;
}

function placeOf(port: number): readonly [number, number] {
  const offset = port - LOW;
  return [SIZE / 8 - 1 - (offset >> 3), 1 << (offset & 7)];
}

/**
 * The node ports that are taken, in one stored object that is changed by compare-and-swap: several servers over one storage assign
 * no port twice.
 * @see pkg/registry/core/service/allocator/storage @ v1.36.3
 */
export class NodePorts {
  readonly #storage: StorageInterface<UnstructuredObject>;

  constructor(storage: StorageInterface<UnstructuredObject>) {
    this.#storage = storage;
  }

  /** The taken ports now. */
  async read(): Promise<TakenPorts> {
    const stored = await this.#storage.get(KEY, { ignoreNotFound: true });
    return new TakenPorts(dataOf(stored?.object));
  }

  /** Changes the taken ports. `change` may run several times; nothing is stored when it throws, or leaves them as they are. */
  async update<Result>(change: (taken: TakenPorts) => Result): Promise<Result> {
    let result: { readonly value: Result } | undefined;
    await this.#storage.guaranteedUpdate(
      KEY,
      ({ existing }) => {
        const taken = new TakenPorts(dataOf(existing));
        result = { value: change(taken) };
        const object = { ...(existing ?? EMPTY), range: RANGE, data: taken.data };
        return Promise.resolve({ object });
      },
      { ignoreNotFound: true },
    );
    return (result as { readonly value: Result }).value;
  }
}

const EMPTY: UnstructuredObject = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {} };

function dataOf(object: UnstructuredObject | undefined): string {
  const data = object?.['data'];
  return typeof data === 'string' ? data : '';
}
