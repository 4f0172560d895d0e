import type {
  StateToKeep,
  WarmCollection,
  WarmStart,
  WarmState,
} from '../../cache/collection/warm/warm-start.ts';
import { objectJson } from '../../cache/memory/views/object-json.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { maybeSecret } from '../../meta/masking/object-mask.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import {
  nodeFiles,
  removeLeftBehind,
  replaceFile,
  type FileWriter,
} from '../files/private-file.ts';
import { headBytes, SNAPSHOT_LINE, type FileHeader } from '../format/file-head.ts';
import {
  FRAME_HEAD_BYTES,
  frameBytes,
  jsonFrame,
  RecordKind,
  writeFrame,
} from '../format/record-frame.ts';
import type { SourceIdentity } from '../format/source-identity.ts';
import { openSnapshot } from './open-snapshot.ts';

export interface SnapshotOptions {
  /** One for each collection, server and user. */
  readonly file: string;
  /** Of which server and user it is: `() => identify(client)`, or what that has resolved to. A file of another one is refused. */
  readonly identity: SourceIdentity | ((signal: AbortSignal) => Promise<SourceIdentity>);
  /** How often a changed cache is saved, milliseconds, at least 100. @defaultValue 60 000 */
  readonly everyMs?: number | undefined;
  /** Whether Secrets may be written. @defaultValue false: a collection of Secrets is not saved */
  readonly secrets?: boolean | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** The file system for writing. @defaultValue that of Node */
  readonly files?: FileWriter | undefined;
}

const OWNER = 'fileWarmStart';
const OPTIONS = optionsOf<SnapshotOptions>()(OWNER, {
  file: is.text().required,
  identity: is.anything().required,
  everyMs: is.number({ min: 100 }).default(60_000),
  secrets: is.flag().default(false),
  runtime: is.object().default(realRuntime),
  files: is.object().default(nodeFiles),
});
const CHUNK_BYTES = 512 * 1024;

/**
 * Keeps the cache of an informer in a file: option `warmStart` of an informer.
 *
 * Guarantees: the file is replaced as a whole, whatever stops the program; it is for its owner alone; a file of another server, user,
 * collection, form or version, or a damaged one, is not used, and `onError` of the informer gets the reason.
 *
 * @example
 * const warmStart = fileWarmStart({ file: 'pods.snapshot', identity: () => identify(client) });
 * const pods = informers.for('v1', 'pods', { warmStart });
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function fileWarmStart(options: SnapshotOptions): WarmStart {
  return new FileSnapshot(OPTIONS.read(options));
}

type ResolvedOptions = { [Name in keyof SnapshotOptions]-?: NonNullable<SnapshotOptions[Name]> };

class FileSnapshot implements WarmStart {
  readonly everyMs: number;
  readonly #options: ResolvedOptions;
  #identity: SourceIdentity | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.everyMs = options.everyMs;
  }

  async load(collection: WarmCollection, signal: AbortSignal): Promise<WarmState | undefined> {
    const { file, identity } = this.#options;
    this.#identity = typeof identity === 'function' ? await identity(signal) : identity;
    await removeLeftBehind(file);
    const opened = await openSnapshot(file);
    if (opened === undefined) return undefined;
    const problem = differenceOf(opened.header, collection, this.#identity);
    const { resourceVersion = '' } = opened.header;
    if (problem === undefined) {
      return { resourceVersion, pieces: opened.pieces, close: () => opened.close() };
    }
    await opened.close();
    throw new ListwatchError('WARM_START_REFUSED', `${file} is not used: ${problem}`);
  }

  async save(collection: WarmCollection, state: StateToKeep): Promise<void> {
    const { file, files, runtime } = this.#options;
    const identity = this.#identity;
    if (identity === undefined) {
      const problem = 'server and user are not known, because they were not given at the start';
      throw new ListwatchError('WARM_START_REFUSED', `${file} is not written: ${problem}`);
    }
    const head = headBytes(SNAPSHOT_LINE, {
      collection: collection.description,
      identity,
      startedAt: new Date(runtime.wallMs()).toISOString(),
      fields: collection.fields,
      resourceVersion: state.resourceVersion,
    });
    await replaceFile(file, this.#chunks(head, state), { files, runtime, code: 'SNAPSHOT_FILE' });
  }

  /** A chunk a task, so that the program goes on meanwhile. */
  async *#chunks(head: Buffer, { objects }: StateToKeep): AsyncGenerator<Buffer> {
    yield head;
    let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let used = 0;
    for (const object of objects) {
      const frame = {
        kind: RecordKind.item,
        flags: 0,
        request: 0,
        atMs: 0,
        body: objectJson(object),
      };
      this.#checkSecret(object, frame.body);
      const size = FRAME_HEAD_BYTES + frame.body.length;
      if (used + size > CHUNK_BYTES) {
        yield chunk.subarray(0, used);
        await nextTask(this.#options.runtime);
        chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, size));
        used = 0;
      }
      used = writeFrame(chunk, used, frame);
    }
    const end = frameBytes(jsonFrame(RecordKind.end, { objects: objects.length }));
    yield Buffer.concat([chunk.subarray(0, used), end]);
  }

  #checkSecret(object: ObjectView, json: Buffer): void {
    if (this.#options.secrets) return;
    if (!maybeSecret(json)) return;
    if ((JSON.parse(json.toString('utf8')) as { kind?: unknown }).kind !== 'Secret') return;
    const problem = `it would hold Secrets, such as ${object.metadata.name}; set secrets: true`;
    throw new ListwatchError(
      'WARM_START_REFUSED',
      `${this.#options.file} is not written: ${problem}`,
    );
  }
}

/** Why a file does not fit; undefined if it does. */
function differenceOf(
  header: FileHeader,
  { description, fields }: WarmCollection,
  identity: SourceIdentity,
): string | undefined {
  const { collection, identity: of, fields: kept } = header;
  if (of?.server !== identity.server) return 'it is of another server';
  if (of.user !== identity.user) return 'it is of another user';
  if (collection !== description) return `it is of ${collection}, not of ${description}`;
  if (JSON.stringify(kept) !== JSON.stringify(fields)) return 'its objects have other fields';
  return undefined;
}
