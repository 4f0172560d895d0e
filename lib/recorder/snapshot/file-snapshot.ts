import type {
  StateToKeep,
  WarmCollection,
  WarmStart,
  WarmState,
} from '../../cache/collection/warm/warm-start.ts';
import { objectJson } from '../../cache/memory/views/object-json.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { fileError } from '../../kernel/failure/file-error.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { ObjectMask, type CollectionMask } from '../../meta/masking/object-mask.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { removeLeftBehind } from '../../kernel/data/temporary-file.ts';
import { nodeFiles, replaceFile, type FileWriter } from '../files/private-file.ts';
import { headBytes, SNAPSHOT_LINE, readHead, type FileHeader } from '../format/file-head.ts';
import {
  FRAME_HEAD_BYTES,
  frameBytes,
  jsonFrame,
  RecordKind,
  writeFrame,
  type RecordFrame,
} from '../format/record-frame.ts';
import type { SourceIdentity } from '../format/source-identity.ts';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { viewOf } from '../format/file-object.ts';
import { FrameReader } from '../format/frame-reader.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;
/** A larger record is damage: it is far above what a server stores. */
const MOST_RECORD_BYTES = 256 * 1024 * 1024;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** A snapshot that is being read. */
interface OpenSnapshot {
  readonly header: FileHeader;
  /** Pieces of objects; it throws if the file is damaged or cut short. */
  readonly pieces: AsyncIterable<readonly ObjectView[]>;
  close(): Promise<void>;
}

/**
 * Opens a snapshot and reads its header; undefined if there is no file.
 * @throws {ListwatchError} code SNAPSHOT_FILE or SNAPSHOT_INVALID.
 */
async function openSnapshot(path: string): Promise<OpenSnapshot | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, READ);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw fileError('SNAPSHOT_FILE', `the snapshot ${path} cannot be read`, error);
  }
  try {
    const blocks = readBlocks(path, handle);
    const first = (await blocks.next()).value ?? Buffer.alloc(0);
    const { header, reader } = readHead(path, first, SNAPSHOT_LINE, 'SNAPSHOT_INVALID');
    const rest = first.subarray(reader.offset);
    return { header, pieces: pieces(path, rest, blocks), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The next block is read while the caller works on one. */
async function* readBlocks(path: string, handle: FileHandle): AsyncGenerator<Buffer, undefined> {
  const read = (): Promise<Buffer> => {
    const block = readBlock(handle);
    // A caller that has left does not wait for it, nor for its failure.
    block.catch(() => {});
    return block;
  };
  try {
    let next = read();
    for (;;) {
      const block = await next;
      if (block.length === 0) return;
      next = read();
      yield block;
    }
  } catch (error) {
    throw fileError('SNAPSHOT_FILE', `the snapshot ${path} cannot be read`, error);
  }
}

async function readBlock(handle: FileHandle): Promise<Buffer> {
  // Views of the objects lie in it until the cache has copied them.
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, null);
  return block.subarray(0, bytesRead);
}

async function* pieces(
  path: string,
  first: Buffer,
  blocks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly ObjectView[], undefined> {
  let objects = 0;
  let ended = false;
  const take = (frame: RecordFrame, reader: FrameReader): ObjectView | undefined => {
    if (ended) throw reader.error('records follow its last one');
    if (frame.kind === RecordKind.item) {
      objects += 1;
      return viewOf(frame.body);
    }
    const { objects: counted } = (reader.json(frame) ?? {}) as { objects?: number };
    if (frame.kind !== RecordKind.end || counted !== objects) {
      throw reader.error(`it has ${objects} objects, and its last record says ${counted}`);
    }
    ended = true;
    return undefined;
  };
  let rest = first;
  let incoming: Buffer = Buffer.alloc(0);
  const iterator = blocks[Symbol.asyncIterator]();
  for (;;) {
    const bytes = incoming.length === 0 ? rest : Buffer.concat([rest, incoming]);
    const { views, used } = wholeObjects(path, bytes, take);
    if (views.length > 0) yield views;
    rest = bytes.subarray(used);
    const next = await iterator.next();
    if (next.done === true) break;
    incoming = next.value;
  }
  if (!ended || rest.length > 0) {
    const problem = `it was cut short behind ${objects} objects`;
    throw new ListwatchError('SNAPSHOT_INVALID', `${path}: ${problem}`);
  }
}

function wholeObjects(
  path: string,
  bytes: Buffer,
  take: (frame: RecordFrame, reader: FrameReader) => ObjectView | undefined,
): { readonly views: readonly ObjectView[]; readonly used: number } {
  const reader = new FrameReader(path, bytes, 0, 'SNAPSHOT_INVALID');
  const views: ObjectView[] = [];
  for (;;) {
    const at = reader.offset;
    if (bytes.length - at < FRAME_HEAD_BYTES) break;
    const size = FRAME_HEAD_BYTES + bytes.readUInt32LE(at);
    if (size > MOST_RECORD_BYTES) throw reader.error(`a record of ${size} bytes is damaged`);
    if (bytes.length - at < size) break;
    const view = take(reader.next() as RecordFrame, reader);
    if (view !== undefined) views.push(view);
  }
  return { views, used: reader.offset };
}

/** @experimental */
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
/** Finds Secrets. */
const SECRETS = new ObjectMask(OWNER);

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
 * @experimental
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
    await replaceFile(file, this.#chunks(head, state, SECRETS.of(collection.resource)), {
      files,
      runtime,
      code: 'SNAPSHOT_FILE',
    });
  }

  /** A chunk a task, so that the program goes on meanwhile. */
  async *#chunks(
    head: Buffer,
    { objects }: StateToKeep,
    secrets: CollectionMask,
  ): AsyncGenerator<Buffer> {
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
      this.#checkSecret(object, frame.body, secrets);
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

  #checkSecret(object: ObjectView, json: Buffer, secrets: CollectionMask): void {
    if (this.#options.secrets) return;
    if (secrets.apply(json) === json) return;
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
