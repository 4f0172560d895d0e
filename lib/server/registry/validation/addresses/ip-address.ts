/** An IP address as Go's `net` reads it. */
export interface IpAddress {
  /** 4 also for an IPv4 address that is written as IPv6 (`::ffff:1.2.3.4`). */
  readonly family: 4 | 6;
  readonly value: bigint;
  readonly isMapped: boolean;
  /** Whether a part has more digits than it needs, in a way that newer parsers refuse. */
  readonly hasLeadingZeros: boolean;
}

/** A network, and the address that was written before the slash. */
export interface IpNetwork {
  readonly address: IpAddress;
  /** The prefix length of the family: 120 of a mapped address is 24. */
  readonly length: number;
  /** The address with the bits beyond the prefix cleared. */
  readonly start: bigint;
  readonly hasLeadingZeros: boolean;
}

const LOW_32 = 0xff_ff_ff_ffn;

/**
 * Reads an address as API servers always did: octets may have leading zeros.
 * @see utils internal/third_party/forked/golang/net/ip.go
 */
export function parseIp(text: string): IpAddress | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return parseV4(text);
  return /^\d+\./.test(text) ? undefined : parseV6(text);
}

function parseV4(text: string): IpAddress | undefined {
  const octets = text.split('.');
  if (octets.length !== 4) return undefined;
  let value = 0;
  let hasLeadingZeros = false;
  for (const octet of octets) {
    if (!/^\d+$/.test(octet)) return undefined;
    const number = Number(octet);
    if (number > 255) return undefined;
    hasLeadingZeros ||= octet.length > 1 && octet.startsWith('0');
    value = value * 256 + number;
  }
  return { family: 4, value: BigInt(value), isMapped: false, hasLeadingZeros };
}

function parseV6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const parts = halves.map((half) => groupsOf(half));
  const [head, tail] = parts;
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  // The dotted part is at the end.
  if (tail !== undefined && head.isDotted) return undefined;
  const groups = [...head.groups, ...(tail?.groups ?? [])];
  if (tail === undefined ? groups.length !== 8 : groups.length > 7) return undefined;
  const zeros = Array.from({ length: 8 - groups.length }, () => 0);
  let value = 0n;
  for (const group of [...head.groups, ...zeros, ...(tail?.groups ?? [])]) {
    value = (value << 16n) | BigInt(group);
  }
  const isMapped = value >> 32n === 0xff_ffn;
  return {
    family: isMapped ? 4 : 6,
    value: isMapped ? value & LOW_32 : value,
    isMapped,
    hasLeadingZeros: head.hasLeadingZeros || tail?.hasLeadingZeros === true,
  };
}

interface Groups {
  readonly groups: readonly number[];
  readonly hasLeadingZeros: boolean;
  readonly isDotted: boolean;
}

function groupsOf(half: string): Groups | undefined {
  const groups: number[] = [];
  let [hasLeadingZeros, isDotted] = [false, false];
  for (const part of half === '' ? [] : half.split(':')) {
    if (isDotted) return undefined;
    if (part.includes('.')) {
      const dotted = parseV4(part);
      if (dotted === undefined) return undefined;
      const number = Number(dotted.value);
      groups.push(Math.floor(number / 65_536), number % 65_536);
      hasLeadingZeros ||= dotted.hasLeadingZeros;
      isDotted = true;
      continue;
    }
    if (!/^0*[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
    hasLeadingZeros ||= part.length > 4;
    groups.push(Number.parseInt(part, 16));
  }
  return { groups, hasLeadingZeros, isDotted };
}

/** The canonical text; an IPv6 address by RFC 5952. */
export function ipText({ family, value }: Pick<IpAddress, 'family' | 'value'>): string {
  const bits = family === 4 ? 8n : 16n;
  const parts: number[] = [];
  for (let at = family === 4 ? 3n : 7n; at >= 0n; at -= 1n) {
    parts.push(Number((value >> (at * bits)) & ((1n << bits) - 1n)));
  }
  if (family === 4) return parts.join('.');
  const [start, length] = longestZeros(parts);
  const text = (from: number, to: number): string =>
    parts
      .slice(from, to)
      .map((one) => one.toString(16))
      .join(':');
  return length < 2 ? text(0, 8) : `${text(0, start)}::${text(start + length, 8)}`;
}

function longestZeros(parts: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0];
  for (let at = 0; at < parts.length; at += 1) {
    let length = 0;
    while (parts[at + length] === 0) length += 1;
    if (length > best[1]) best = [at, length];
    at += length;
  }
  return best;
}

/** `10.0.0.0/8`. */
export function parseCidr(text: string): IpNetwork | undefined {
  const slash = text.indexOf('/');
  const prefix = text.slice(slash + 1);
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  if (address === undefined || !/^\d+$/.test(prefix)) return undefined;
  const written = Number(prefix);
  const size = address.family === 4 ? 32 : 128;
  const most = address.isMapped ? 128 : size;
  if (written > most) return undefined;
  const length = address.isMapped ? Math.max(0, written - 96) : written;
  const hostBits = BigInt(size - length);
  return {
    address,
    length,
    start: (address.value >> hostBits) << hostBits,
    hasLeadingZeros: address.hasLeadingZeros || (prefix.length > 1 && prefix.startsWith('0')),
  };
}

/** The canonical text of a network. */
export function networkText({ address, length, start }: IpNetwork): string {
  return `${ipText({ family: address.family, value: start })}/${length}`;
}
