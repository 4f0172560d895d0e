import { ListwatchError } from '../../kernel/failure/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { CacheMode } from './object-memory.ts';

/** Decodes an object once, and keeps it as long as it is in the cache. */
export interface ObjectsCacheOptions {
  readonly mode: 'objects';
}

/** Keeps bytes, and decodes an object again when it has not been read for a while. */
export interface BytesCacheOptions {
  readonly mode: 'bytes';
  /** The budget for decoded objects, bytes, as estimated from their JSON. @defaultValue 268 435 456 (256 MB) */
  readonly decodedBytes?: number | undefined;
}

/** The form of the objects of a cache in memory: a mode, or a mode with its options. */
export type CacheOptions = CacheMode | ObjectsCacheOptions | BytesCacheOptions;

export interface ResolvedCacheOptions {
  readonly mode: CacheMode;
  /** `Infinity` in the mode `objects`. */
  readonly decodedBytes: number;
}

/** About 30,000 pods that are read repeatedly. A cache whose objects are read once needs much less. */
const DECODED_BYTES = 256 * 1024 * 1024;
/** The share of the budget for lists that are read repeatedly without a change. */
const LIST_SHARE = 1 / 2;
const MODES: readonly CacheMode[] = ['bytes', 'objects'];

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveCacheOptions(
  owner: string,
  options: CacheOptions = 'bytes',
): ResolvedCacheOptions {
  const given = typeof options === 'string' ? { mode: options } : options;
  if (typeof given !== 'object' || given === null || !MODES.includes(given.mode)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `${owner}: option "cache" must be "bytes" or "objects", or an object with one of them as its mode`,
    );
  }
  const known = given.mode === 'objects' ? ['mode'] : ['mode', 'decodedBytes'];
  rejectUnknownOptions(`${owner}: option "cache" with mode "${given.mode}"`, given, known);
  if (given.mode === 'objects') return { mode: given.mode, decodedBytes: Infinity };
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const { mode } = given;
  const asked = given as Partial<BytesCacheOptions>;
  return {
    mode,
    decodedBytes: numberOption(
      owner,
      'cache.decodedBytes',
      asked.decodedBytes,
      DECODED_BYTES,
      range,
    ),
  };
}

/** The budget for decoded lists, bytes. */
export function listBudget({ decodedBytes }: ResolvedCacheOptions): number {
  return decodedBytes * LIST_SHARE;
}

/** The budget for single decoded objects, bytes: the rest. */
export function singleBudget({ decodedBytes }: ResolvedCacheOptions): number {
  return decodedBytes * (1 - LIST_SHARE);
}
