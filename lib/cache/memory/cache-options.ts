import { invalidOption, is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { CacheMode, ObjectMemory } from './object-memory.ts';

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

/** Keeps objects where the program says: compressed, in a file, in another process. */
export interface OwnCacheOptions {
  readonly mode: 'own';
  /** For one cache: what it retains is released when it leaves that cache. */
  readonly memory: ObjectMemory;
}

/** The form of the objects of a cache in memory: a mode, or a mode with its options. */
export type CacheOptions = CacheMode | ObjectsCacheOptions | BytesCacheOptions | OwnCacheOptions;

export interface ResolvedCacheOptions {
  readonly mode: CacheMode | 'own';
  /** `Infinity` in the modes `objects` and `own`. */
  readonly decodedBytes: number;
  /** In the mode `own`. */
  readonly memory?: ObjectMemory | undefined;
}

/** About 30,000 pods that are read repeatedly. A cache whose objects are read once needs much less. */
const DECODED_BYTES = 256 * 1024 * 1024;
/** The share of the budget for lists that are read repeatedly without a change. */
const LIST_SHARE = 1 / 2;
const BYTES = optionsOf<BytesCacheOptions>()('cache', {
  mode: is.oneOf('bytes').required,
  decodedBytes: is.number({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(DECODED_BYTES),
});
const OBJECTS = optionsOf<ObjectsCacheOptions>()('cache', { mode: is.oneOf('objects').required });
const OWN = optionsOf<OwnCacheOptions>()('cache', {
  mode: is.oneOf('own').required,
  memory: is.anything().required,
});
const MODES: readonly ResolvedCacheOptions['mode'][] = ['bytes', 'objects', 'own'];
const MEMORY_METHODS = ['retain', 'release', 'pin', 'inspect', 'destroy'] as const;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveCacheOptions(
  owner: string,
  options: CacheOptions = 'bytes',
): ResolvedCacheOptions {
  const given: Exclude<CacheOptions, string> | { readonly mode: CacheMode } =
    typeof options === 'string' ? { mode: options } : options;
  if (typeof given !== 'object' || given === null || !MODES.includes(given.mode)) {
    throw invalidOption(
      owner,
      `option "cache" must be "bytes" or "objects", or an object with "bytes", "objects" or "own" as its mode`,
    );
  }
  if (given.mode === 'own') return ownCache(owner, given);
  const place = `${owner}: option "cache" with mode "${given.mode}"`;
  if (given.mode === 'objects') {
    OBJECTS.read(given, place);
    return { mode: given.mode, decodedBytes: Infinity };
  }
  return BYTES.read<BytesCacheOptions>(given as BytesCacheOptions, place);
}

function ownCache(owner: string, given: object): ResolvedCacheOptions {
  const options = given as Partial<OwnCacheOptions>;
  OWN.checkNames(options, `${owner}: option "cache" with mode "own"`);
  const { memory } = options;
  const missing = MEMORY_METHODS.filter((name) => typeof memory?.[name] !== 'function');
  if (memory === undefined || missing.length > 0) {
    const text = `option "cache.memory" must be an ObjectMemory; it has no ${missing.join(', ')}`;
    throw invalidOption(owner, text);
  }
  return { mode: 'own', decodedBytes: Infinity, memory };
}

/** The budget for decoded lists, bytes. */
export function listBudget({ decodedBytes }: ResolvedCacheOptions): number {
  return decodedBytes * LIST_SHARE;
}

/** The budget for single decoded objects, bytes: the rest. */
export function singleBudget({ decodedBytes }: ResolvedCacheOptions): number {
  return decodedBytes * (1 - LIST_SHARE);
}
