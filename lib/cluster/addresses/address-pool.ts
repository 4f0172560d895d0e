import type { IPFamily } from '../../types/built-in/core-v1-kinds.ts';

/** Numbers of one family: two octets, without the first and the last. */
const LAST = 0xff_fe;

/**
 * The address of a load balancer: of 198.18.0.0/16, which is reserved for benchmarks, or of 2001:db8:18::/112, which is reserved for
 * documentation. Nothing answers there.
 * @see RFC 2544, RFC 3849
 */
export function balancerAddress(number: number, family: IPFamily): string {
  if (family === 'IPv6') return `2001:db8:18::${number.toString(16)}`;
  return `198.18.${Math.floor(number / 256)}.${number % 256}`;
}

/** Hands addresses out, each to one service at a time. What is in use is in the objects; it keeps only where it goes on. */
export class AddressPool {
  readonly #isUsed: (address: string) => boolean;
  #last = 0;

  constructor(isUsed: (address: string) => boolean) {
    this.#isUsed = isUsed;
  }

  /** An address that is free; undefined when none is. One that was given back is used again only after the others. */
  next(family: IPFamily): string | undefined {
    for (let tries = 0; tries < LAST; tries += 1) {
      this.#last = (this.#last % LAST) + 1;
      const address = balancerAddress(this.#last, family);
      if (!this.#isUsed(address)) return address;
    }
    return undefined;
  }
}
