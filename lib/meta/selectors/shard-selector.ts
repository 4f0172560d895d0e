import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { parseShardRanges, ShardProblem, type ShardRange } from './shard-ranges.ts';

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
  readonly written: ShardRange;
  /** The first hash of the range. */
  readonly start: Wide;
  /** The first hash after it. */
  readonly end: Wide;
}

/** Some shards of a collection: an object belongs to it if the hash of its uid, or of its namespace, is in one of the ranges. */
export class ShardSelector {
  readonly #ranges: readonly Range[];
  readonly #by: 'uid' | 'namespace';

  /** Use `parseShardSelector`. */
  constructor(
    written: readonly { readonly field: string; readonly start: string; readonly end: string }[],
  ) {
    this.#ranges = written.map(rangeOf);
    this.#by = written[0]?.field === 'object.metadata.namespace' ? 'namespace' : 'uid';
  }

  /** Whether the object with this metadata belongs to it. A field that is missing counts as empty. */
  matches(
    metadata:
      | { readonly uid?: string | undefined; readonly namespace?: string | undefined }
      | undefined,
  ): boolean {
    // All ranges are of the same field.
    const hash = hashOf(metadata?.[this.#by] ?? '');
    return this.#ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
  }

  /** As kube-apiserver writes it. */
  toString(): string {
    const written = this.#ranges.map(
      ({ written: { field, start, end } }) => `shardRange(${field}, '${start}', '${end}')`,
    );
    return written.join(' || ');
  }
}

const HALF = 2 ** 32;
const MOST_SHARDS = 1_000_000;

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
 * Parses ranges that are joined by `||`, such as `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`.
 * @throws {ListwatchError} code INVALID_SELECTOR, with a `ShardProblem` as its cause.
 * @see KEP-5866, server-side sharded list and watch
 */
export function parseShardSelector(text: string): ShardSelector {
  try {
    return new ShardSelector(parseShardRanges(text));
  } catch (error) {
    if (!(error instanceof ShardProblem)) throw error;
    const shown = JSON.stringify(text.slice(0, 200));
    const form = "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')";
    const remedy = `write ranges such as ${form}, joined by ||; metadata.namespace is the other field`;
    const problem = `invalid shard selector ${shown}: ${error.message}; ${remedy}`;
    throw new ListwatchError('INVALID_SELECTOR', problem, { cause: error });
  }
}

function rangeOf(written: ShardRange): Range {
  return {
    written,
    start: wideOf(written.start.slice(2)),
    end: wideOf(written.end.slice(2)),
  };
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
