import type { ListerWatcher } from '../cache/reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../cache/reflector/contract/received-objects.ts';
import { invalidOption, is, optionsOf } from '../kernel/options/options-schema.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { CollectionReader, ResourceName } from '../meta/collection-options.ts';
import { ObjectMask, type MaskChoice } from '../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../meta/object.ts';
import type { ObjectView } from '../meta/object-view.ts';
import { nodeFiles, type FileWriter } from './files/private-file.ts';
import type { SourceIdentity } from './format/source-identity.ts';

/** The part of an informer that `record` uses. */
export interface RecordableInformer<T extends KubernetesObject> {
  readonly name: string;
  /** Undefined: not known. */
  readonly resource?: ResourceName | undefined;
  readonly runtime: Runtime;
  readonly events: {
    on(
      event: 'watch-error',
      listener: (error: unknown, context: { readonly expected: boolean }) => void,
    ): unknown;
    off(
      event: 'watch-error',
      listener: (error: unknown, context: { readonly expected: boolean }) => void,
    ): unknown;
  };
  intercept(
    wrap: (
      source: ListerWatcher<ObjectView<T>>,
      cache: ReceivedObjects<ObjectView<T>>,
    ) => ListerWatcher<ObjectView<T>>,
  ): void;
}

/** The part of a client that `record` uses. */
export interface RecordableClient {
  readonly runtime: Runtime;
  intercept(
    wrap: <T extends KubernetesObject>(
      source: ListerWatcher<ObjectView<T>>,
      reader: CollectionReader,
    ) => ListerWatcher<ObjectView<T>>,
  ): Disposable;
}

/** The causes of a dump of the last minutes. */
export type DumpCause = 'error' | 'SIGUSR2' | 'SIGHUP';

const DUMP_CAUSES: readonly DumpCause[] = ['error', 'SIGUSR2', 'SIGHUP'];

/** @experimental */
export interface RecordOptions {
  /** The most bytes of the file, or with `keepMinutes` of the memory besides the cache; from 65 536 to 1 GiB. @defaultValue 268 435 456 (256 MiB) */
  readonly maxBytes?: number | undefined;
  /**
   * Memory for hashes of objects, bytes, up to 1 GiB. They take an eighth of an object. A change of an object that is among them is written as
   * the difference to it, which is a small part of the object. Below 65 536: each object is written whole. `keepMinutes` has no use for it.
   * @defaultValue 16 777 216 (16 MiB), for 30 000 objects of 4 KB; it is taken as they come
   */
  readonly baseBytes?: number | undefined;
  /**
   * Keeps the last minutes in memory, within `maxBytes`, and writes a file when `dump` is called. It needs an informer, or a client.
   * @defaultValue everything goes to the file at once
   */
  readonly keepMinutes?: number | undefined;
  /**
   * With `keepMinutes`: what makes it write the last minutes by itself, in addition to `dump`. `error`: a list or a watch has failed in a
   * way that is not part of normal operation; the next such dump comes after `keepMinutes`, so that a long outage leaves its beginning.
   * The names of signals: the process has got one; it does not end by it. @defaultValue nothing
   */
  readonly dumpOn?: readonly DumpCause[] | undefined;
  /** Which values are not written. @defaultValue 'secrets' */
  readonly mask?: MaskChoice | undefined;
  /** Which server and user it is of, as `identify(client)` says. @defaultValue not said */
  readonly identity?: SourceIdentity | undefined;
  /** Records are in the file after this time, milliseconds. @defaultValue 1000 */
  readonly flushMs?: number | undefined;
  /** @defaultValue that of the informer or of the client; for a source, realRuntime */
  readonly runtime?: Runtime | undefined;
  /** The recording has ended before it was closed: a full disk, its bound. The program goes on. @defaultValue see `failure` */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** The file system. @defaultValue that of Node */
  readonly files?: FileWriter | undefined;
}

export interface ResolvedRecordOptions {
  readonly maxBytes: number;
  readonly baseBytes: number;
  readonly keepMs: number | undefined;
  readonly dumpOn: ReadonlySet<DumpCause>;
  readonly mask: ObjectMask;
  readonly identity: SourceIdentity | undefined;
  readonly flushMs: number;
  readonly runtime: Runtime;
  readonly onFailure: (error: unknown) => void;
  readonly files: FileWriter;
}

const OWNER = 'record';
const LEAST_BYTES = 65_536;
const MOST_BYTES = 1024 ** 3;
const MINUTE_MS = 60_000;
const OPTIONS = optionsOf<RecordOptions>()(OWNER, {
  maxBytes: is.integer({ min: LEAST_BYTES, max: MOST_BYTES }).default(256 * 1024 ** 2),
  baseBytes: is.integer({ min: 0, max: MOST_BYTES }).default(16 * 1024 ** 2),
  keepMinutes: is.number({ min: 0.01, max: 1440 }),
  dumpOn: is.anything(),
  mask: is.anything(),
  identity: is.rule<SourceIdentity>('what await identify(client) gives', isIdentity),
  flushMs: is.number({ min: 1 }).default(1000),
  runtime: is.object(),
  onFailure: is.callback().default((): void => {}),
  files: is.object().default(nodeFiles),
});

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveRecordOptions(
  options: RecordOptions,
  from: { readonly runtime?: Runtime | undefined },
  hasCache: boolean,
): ResolvedRecordOptions {
  const { keepMinutes, runtime = from.runtime ?? realRuntime, ...read } = OPTIONS.read(options);
  if (keepMinutes !== undefined && options.baseBytes !== undefined) {
    const text = 'option "baseBytes" is for a recording to a file, not for one with keepMinutes';
    throw invalidOption(OWNER, text);
  }
  if (keepMinutes !== undefined && !hasCache) {
    const text =
      'option "keepMinutes" needs an informer or a client: the caches have what came before';
    throw invalidOption(OWNER, text);
  }
  return {
    ...read,
    identity: read.identity,
    keepMs: keepMinutes === undefined ? undefined : keepMinutes * MINUTE_MS,
    dumpOn: dumpCauses(options),
    mask: new ObjectMask(OWNER, options.mask),
    runtime,
  };
}

function isIdentity(given: unknown): boolean {
  const { server, user } = Object(given) as Partial<Record<keyof SourceIdentity, unknown>>;
  return typeof server === 'string' && typeof user === 'string';
}

function dumpCauses({ dumpOn = [], keepMinutes }: RecordOptions): ReadonlySet<DumpCause> {
  const wrong = dumpOn.find((cause) => !DUMP_CAUSES.includes(cause));
  if (wrong !== undefined) {
    const text = `option "dumpOn" has ${JSON.stringify(wrong)}: use ${DUMP_CAUSES.join(', ')}`;
    throw invalidOption(OWNER, text);
  }
  if (dumpOn.length > 0 && keepMinutes === undefined) {
    const text = 'option "dumpOn" needs keepMinutes: without it everything is in the file already';
    throw invalidOption(OWNER, text);
  }
  return new Set(dumpOn);
}
