import { randomInteger } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { StorageInterface } from '../../server/storage/contract/storage-interface.ts';
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
  /** A big integer in which the bit of a taken port is set: the first byte has the highest ports. */
  readonly #bytes: Uint8Array = new Uint8Array(SIZE / 8);

  constructor(data = '') {
    this.load(data);
  }

  load(data: string): void {
    const given = Buffer.from(data, 'base64');
    this.#bytes.fill(0);
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

interface PortChange {
  /** Changes the ports. What it returns is called when they are stored. */
  readonly attempt: (taken: TakenPorts) => () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The node ports that are taken, in one stored object that is changed by compare-and-swap: several servers over one storage assign
 * no port twice.
 * @see pkg/registry/core/service/allocator/storage @ v1.36.3
 */
export class NodePorts {
  readonly #storage: StorageInterface<UnstructuredObject>;
  readonly #waiting: PortChange[] = [];
  #isWriting = false;

  constructor(storage: StorageInterface<UnstructuredObject>) {
    this.#storage = storage;
  }

  /** The taken ports now. */
  async read(): Promise<TakenPorts> {
    const stored = await this.#storage.get(KEY, { ignoreNotFound: true });
    return new TakenPorts(dataOf(stored?.object));
  }

  /**
   * Changes the taken ports. `change` may run several times; what it did is dropped when it throws. Changes that are asked for while
   * one is written go into the next write together, so that many services do not wait for as many writes.
   */
  async update<Result>(change: (taken: TakenPorts) => Result): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      this.#waiting.push({
        attempt(taken) {
          const before = taken.data;
          try {
            const result = change(taken);
            return () => resolve(result);
          } catch (error) {
            taken.load(before);
            return () => reject(error);
          }
        },
        reject,
      });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        for (const settle of await this.#writeAll(batch)) settle();
      } catch (error) {
        for (const { reject } of batch) reject(error as Error);
      }
    }
    this.#isWriting = false;
  }

  async #writeAll(batch: readonly PortChange[]): Promise<readonly (() => void)[]> {
    let settled: readonly (() => void)[] = [];
    await this.#storage.guaranteedUpdate(
      KEY,
      ({ existing }) => {
        const taken = new TakenPorts(dataOf(existing));
        settled = batch.map(({ attempt }) => attempt(taken));
        return { object: { ...(existing ?? EMPTY), range: RANGE, data: taken.data } };
      },
      { ignoreNotFound: true },
    );
    return settled;
  }
}

const EMPTY: UnstructuredObject = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {} };

function dataOf(object: UnstructuredObject | undefined): string {
  const data = object?.['data'];
  return typeof data === 'string' ? data : '';
}
