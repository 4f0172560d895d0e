import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';

/** @experimental */
export interface ShardOptions {
  /** Which shard, from 0 on. */
  readonly index: number;
  /** How many shards there are; all replicas must name the same number. */
  readonly of: number;
  /** The field that decides: `uid` spreads objects evenly, `namespace` keeps those of a namespace together. @defaultValue 'uid' */
  readonly by?: 'uid' | 'namespace' | undefined;
}

/** A number of 64 bits, or 2^64, in two halves: numbers of JavaScript are exact up to 53 bits. */
interface Wide {
  readonly high: number;
  readonly low: number;
}

interface Range {
  readonly by: 'uid' | 'namespace';
  /** The first hash of the range. */
  readonly start: Wide;
  /** The first hash after it. */
  readonly end: Wide;
}

/** Some shards of a collection: an object belongs to it if the hash of its uid, or of its namespace, is in one of the ranges. */
export class ShardSelector {
  readonly #text: string;
  readonly #ranges: readonly Range[];

  /** Use `parseShardSelector`. */
  constructor(text: string, ranges: readonly Range[]) {
    this.#text = text;
    this.#ranges = ranges;
  }

  /** Whether the object with this metadata belongs to it. A field that is missing counts as empty. */
  matches(
    metadata:
      | { readonly uid?: string | undefined; readonly namespace?: string | undefined }
      | undefined,
  ): boolean {
    return this.#ranges.some(({ by, start, end }) => {
      const hash = hashOf(metadata?.[by] ?? '');
      return !isLess(hash, start) && isLess(hash, end);
    });
  }

  toString(): string {
    return this.#text;
  }
}

const HALF = 2 ** 32;
const MOST_SHARDS = 1_000_000;
const CALL =
  /^shardRange\(\s*object\.metadata\.(uid|namespace)\s*,\s*(['"])0x([0-9a-fA-F]{1,17})\2\s*,\s*(['"])0x([0-9a-fA-F]{1,17})\4\s*\)$/;

const OPTIONS = optionsOf<ShardOptions>()('shardSelector', {
  of: is.integer({ min: 1, max: MOST_SHARDS }).required,
  index: is.integer({ min: 0 }).required,
  by: is.oneOf('uid', 'namespace').default('uid'),
});

/**
 * The selector of one of several shards of equal size.
 *
 * @example
 * const informer = informers.for('v1', 'pods', { shardSelector: shardSelector({ index: 0, of: 4 }) });
 * @throws {ListwatchError} code INVALID_OPTION.
 * @experimental
 */
export function shardSelector(options: ShardOptions): string {
  const { by, of: count, index: given } = OPTIONS.read(options);
  const index = is
    .integer({ min: 0, max: count - 1 })
    .required.read('shardSelector', 'index', given);
  const border = (place: number): string =>
    `'0x${((2n ** 64n * BigInt(place)) / BigInt(count)).toString(16).padStart(16, '0')}'`;
  return `shardRange(object.metadata.${by}, ${border(index)}, ${border(index + 1)})`;
}

/**
 * Parses ranges that are joined by `||`, such as `shardRange(object.metadata.uid, '0x0', '0x8000000000000000')`.
 * @throws {ListwatchError} code INVALID_SELECTOR.
 * @see KEP-5866, server-side sharded list and watch
 */
export function parseShardSelector(text: string): ShardSelector {
  return new ShardSelector(
    text,
    text.split('||').map((part) => parseRange(part.trim())),
  );
}

function parseRange(text: string): Range {
  const [, by, , first = '', , end = ''] = CALL.exec(text) ?? [];
  const range = { start: wideOf(first), end: wideOf(end) };
  if (by === undefined || isLess({ high: HALF, low: 0 }, range.end)) {
    const form = "shardRange(object.metadata.uid, '0x0', '0x10000000000000000')";
    throw refused(
      text,
      `write ranges such as ${form}, joined by ||; metadata.namespace is the other field`,
    );
  }
  if (!isLess(range.start, range.end)) {
    throw refused(text, 'the range is empty: its end must be greater than its start');
  }
  return { by: by as Range['by'], ...range };
}

function refused(text: string, problem: string): ListwatchError {
  const shown = JSON.stringify(text.slice(0, 200));
  return new ListwatchError('INVALID_SELECTOR', `invalid shard selector ${shown}: ${problem}`);
}

function wideOf(digits: string): Wide {
  const padded = digits.padStart(17, '0');
  return { high: parseInt(padded.slice(0, 9), 16), low: parseInt(padded.slice(9), 16) };
}

function isLess(one: Wide, other: Wide): boolean {
  return one.high === other.high ? one.low < other.low : one.high < other.high;
}

/** FNV-1a of 64 bits, over UTF-8. Its prime is 2^40 + 0x1b3, so that a product of a half needs no more than 53 bits. */
function hashOf(value: string): Wide {
  const bytes = Buffer.from(value);
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let index = 0; index < bytes.length; index += 1) {
    low = (low ^ (bytes[index] as number)) >>> 0;
    const product = low * 0x1b3;
    const carry = Math.floor(product / HALF);
    high = (high * 0x1b3 + carry + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
}
