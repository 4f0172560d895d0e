import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { BytesKeeper } from './bytes-keeper.ts';
import type { CacheKeeper, CacheMode } from './cache-keeper.ts';
import { CompressedKeeper } from './compressed-keeper.ts';
import { ObjectsKeeper } from './objects-keeper.ts';

/** Decodes an object once, and keeps it as long as it is in the cache. */
export interface ObjectsCacheOptions {
  readonly mode: 'objects';
}

/** Keeps bytes, and decodes an object again when nobody has read it for a while. */
export interface BytesCacheOptions {
  readonly mode: 'bytes' | 'compressed';
  /** What decoded objects may take together, bytes, as estimated from their JSON. @defaultValue 268 435 456 (256 MB) */
  readonly decodedBytes?: number | undefined;
}

/** How the objects of a cache lie in memory: a mode, or a mode with its options. */
export type CacheOptions = CacheMode | ObjectsCacheOptions | BytesCacheOptions;

export interface ResolvedCacheOptions {
  readonly mode: CacheMode;
  readonly decodedBytes: number;
}

/** Some 30,000 pods: those that are read again and again. A cache whose objects are read once does not come near. */
const DECODED_BYTES = 256 * 1024 * 1024;
/** Of the budget, for lists that are asked for again as long as they do not change. */
const LIST_SHARE = 1 / 2;
const MODES: readonly CacheMode[] = ['objects', 'bytes', 'compressed'];

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveCacheOptions(
  owner: string,
  options: CacheOptions = 'bytes',
): ResolvedCacheOptions {
  const given = typeof options === 'string' ? { mode: options } : options;
  if (typeof given !== 'object' || given === null || !MODES.includes(given.mode)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `${owner}: option "cache" must be "objects", "bytes" or "compressed", or an object with one of them as its mode`,
    );
  }
  const known = given.mode === 'objects' ? ['mode'] : ['mode', 'decodedBytes'];
  rejectUnknownOptions(`${owner}: option "cache" with mode "${given.mode}"`, given, known);
  const { decodedBytes } = given as Partial<BytesCacheOptions>;
  return {
    mode: given.mode,
    decodedBytes: numberOption(owner, 'cache.decodedBytes', decodedBytes, DECODED_BYTES, {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
  };
}

/** What lists may keep decoded, bytes; the rest of the budget is for single objects. */
export function listBudget({ mode, decodedBytes }: ResolvedCacheOptions): number {
  return mode === 'objects' ? Infinity : decodedBytes * LIST_SHARE;
}

/** Keeps the objects of one cache in the way that was asked for. */
export function cacheKeeper(options: ResolvedCacheOptions, runtime: Runtime): CacheKeeper {
  const { mode, decodedBytes } = options;
  const singleBytes = decodedBytes * (1 - LIST_SHARE);
  switch (mode) {
    case 'objects':
      return new ObjectsKeeper();
    case 'bytes':
      return new BytesKeeper(singleBytes);
    case 'compressed':
      return new CompressedKeeper({ decodedBytes: singleBytes, runtime });
  }
}
