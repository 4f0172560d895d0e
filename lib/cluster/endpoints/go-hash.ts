const LIMB = 0x1_00_00_00_00;
/** The low part of the prime 2^88 + 0x13b. */
const PRIME_LOW = 0x1_3b;

/**
 * The 128-bit FNV-1a hash of a text, as 32 hexadecimal digits.
 * @see Go hash/fnv New128a
 */
export function fnv128a(text: string): string {
  let [a, b, c, d] = [0x62_95_c5_8d, 0x62_b8_21_75, 0x07_bb_01_42, 0x6c_62_27_2e];
  for (const byte of Buffer.from(text)) {
    a = (a ^ byte) >>> 0;
    // The prime is 2^88 + 0x13b: the hash moved by 88 bits, and the hash times 0x13b.
    const [low, high] = [(a << 24) >>> 0, ((a >>> 8) | (b << 24)) >>> 0];
    let sum = a * PRIME_LOW;
    a = sum % LIMB;
    sum = b * PRIME_LOW + Math.floor(sum / LIMB);
    b = sum % LIMB;
    sum = c * PRIME_LOW + Math.floor(sum / LIMB) + low;
    c = sum % LIMB;
    d = (d * PRIME_LOW + Math.floor(sum / LIMB) + high) % LIMB;
  }
  return [d, c, b, a].map((limb) => limb.toString(16).padStart(8, '0')).join('');
}

/**
 * Sorts by the hash of the text that Go prints for a value. The order means nothing, but clients see it: the ports of a service are in it.
 * @see kubernetes pkg/util/hash/hash.go DeepHashObject @ v1.37.2
 */
export function sortedByHash<T>(all: readonly T[], goText: (one: T) => string): T[] {
  if (all.length < 2) return [...all];
  return all
    .map((one) => ({ one, hash: fnv128a(goText(one)) }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
    .map(({ one }) => one);
}

/** A pointer as Go prints it in a dump. */
export function goPointer(type: string, value: string | number | undefined): string {
  return `(*${type})${value ?? '<nil>'}`;
}

/** A slice as Go prints it in a dump. */
export function goSlice(type: string, items: readonly string[] | undefined): string {
  const text = items === undefined || items.length === 0 ? '<nil>' : `[${items.join(' ')}]`;
  return `([]${type})${text}`;
}
