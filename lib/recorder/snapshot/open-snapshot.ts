import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { viewOf } from '../format/file-object.ts';
import { fileError } from '../files/private-file.ts';
import { readHead, SNAPSHOT_LINE, type FileHeader } from '../format/file-head.ts';
import { FrameReader } from '../format/frame-reader.ts';
import { FRAME_HEAD_BYTES, RecordKind, type RecordFrame } from '../format/record-frame.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;
/** A larger record is damage: it is far above what a server stores. */
const MOST_RECORD_BYTES = 256 * 1024 * 1024;
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** A snapshot that is being read. */
export interface OpenSnapshot {
  readonly header: FileHeader;
  /** Pieces of objects; it throws if the file is damaged or cut short. */
  readonly pieces: AsyncIterable<readonly ObjectView[]>;
  close(): Promise<void>;
}

/**
 * Opens a snapshot and reads its header; undefined if there is no file.
 * @throws {ListwatchError} code SNAPSHOT_FILE or SNAPSHOT_INVALID.
 */
export async function openSnapshot(path: string): Promise<OpenSnapshot | undefined> {
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
