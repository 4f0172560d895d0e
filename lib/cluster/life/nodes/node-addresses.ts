const FIRST_POD_ADDRESS = 0x0a_f4_00_00; // 10.244.0.0
const POD_ADDRESSES_END = 0x0b_00_00_00; // 11.0.0.0
/** Where ranges begin that are left over: 100.64.0.0/10. */
const SECOND_POD_ADDRESS = 0x64_40_00_00;
const FIRST_NODE_ADDRESS = 0xac_12_00_02; // 172.18.0.2
const SMALLEST_RANGE = 256;
const LARGEST_RANGE = 65_536;
/** The network itself, the gateway, and the broadcast. */
const RESERVED = 3;

function text(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}

function number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The addresses of the pods of one node, given out in turn, so that one is free for a while before it is used again. */
export class PodAddresses {
  readonly cidr: string;
  readonly #first: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  #next = 0;

  constructor(first: number, size: number) {
    this.#first = first;
    this.#size = size;
    this.cidr = `${text(first)}/${32 - Math.log2(size)}`;
  }

  /** @throws {Error} when all are in use. */
  take(): string {
    const count = this.#size - RESERVED;
    for (let tried = 0; tried < count; tried += 1) {
      const address = this.#first + 2 + this.#next;
      this.#next = (this.#next + 1) % count;
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      return text(address);
    }
    throw new Error(`no address is left in the range ${this.cidr}`);
  }

  /** An address that a pod has already. */
  reserve(address: string): void {
    this.#used.add(number(address));
  }

  release(address: string): void {
    this.#used.delete(number(address));
  }
}

/** The ranges of the nodes, one after the other. */
export class NodeAddresses {
  #next = FIRST_POD_ADDRESS;

  /** A range with room for so many pods. */
  range(pods: number): PodAddresses {
    let size = SMALLEST_RANGE;
    while (size < 2 * pods && size < LARGEST_RANGE) size *= 2;
    let first = Math.ceil(this.#next / size) * size;
    if (this.#next < POD_ADDRESSES_END && first + size > POD_ADDRESSES_END) {
      first = SECOND_POD_ADDRESS;
    }
    this.#next = first + size;
    return new PodAddresses(first, size);
  }

  ofNode(index: number): string {
    return text(FIRST_NODE_ADDRESS + index);
  }
}
