import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { replaceFile, type FileWriter } from '../files/private-file.ts';
import {
  formatVersion,
  headBytes,
  RECORDING_LINE,
  type HeaderFields,
} from '../format/file-head.ts';
import { frameBytes, jsonFrame, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import { VANISHED, type RingRecord } from './ring-record.ts';
import type { RingShare } from './ring-share.ts';

/** The records that precede those of a ring. */
export interface RingBeginning {
  /** The version of the state; undefined if nothing came before its records. */
  readonly keptFrom: string | undefined;
  readonly frames: (atMs: number) => Iterable<RecordFrame>;
}

/** The last records of one reader, or of several. */
export interface DumpedRing {
  readonly records: Iterable<RingRecord>;
  /** The bytes of one of its records, masked. */
  bodyOf(record: RingRecord): Buffer;
  /** Keeps what its records refer to, until it is disposed. */
  pin(): Disposable;
  beginning(): RingBeginning;
}

interface DumpedRecord {
  readonly record: RingRecord;
  readonly ring: DumpedRing;
}

export interface RingDumpOptions {
  readonly path: string;
  readonly rings: readonly DumpedRing[];
  readonly share: RingShare;
  /** Records of the readers, for a recording of several. */
  readonly readers?: readonly RecordFrame[] | undefined;
  readonly fields: HeaderFields;
  readonly files: FileWriter;
  readonly runtime: Runtime;
}

const CHUNK_BYTES = 256 * 1024;

/** Writes the records of this moment as a file; what comes meanwhile is not in it. */
export async function dumpRings(options: RingDumpOptions): Promise<void> {
  const { path, rings, files, runtime } = options;
  const pins = rings.map((ring) => ring.pin());
  try {
    const records = rings
      .flatMap((ring) => [...ring.records].map((record) => ({ record, ring })))
      .toSorted((one, other) => one.record.order - other.record.order);
    const beginnings = rings.map((ring) => ring.beginning());
    const chunks = dumpedChunks(options, records, beginnings);
    await replaceFile(path, chunks, { files, runtime, code: 'RECORDING_FILE' });
  } finally {
    for (const pin of pins) pin[Symbol.dispose]();
  }
}

async function* dumpedChunks(
  { fields, readers, runtime, share }: RingDumpOptions,
  records: readonly DumpedRecord[],
  beginnings: readonly RingBeginning[],
): AsyncGenerator<Buffer> {
  const format = formatVersion({ severalReaders: readers !== undefined, differences: false });
  const keptFrom = readers === undefined ? beginnings[0]?.keptFrom : undefined;
  yield headBytes(
    RECORDING_LINE,
    keptFrom === undefined ? fields : { ...fields, keptFrom },
    format,
  );
  const { now } = share.bound;
  let parts: Buffer[] = [];
  let size = 0;
  let count = 0;
  for (const frame of dumpedFrames(records, beginnings, { readers, now })) {
    const bytes = frameBytes(frame);
    parts.push(bytes);
    size += bytes.length;
    count += 1;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
    await nextTask(runtime);
  }
  const end = jsonFrame(RecordKind.end, { reason: 'dump', records: count }, { atMs: now() });
  yield Buffer.concat([...parts, frameBytes(end)]);
}

interface DumpParts {
  readonly readers: readonly RecordFrame[] | undefined;
  readonly now: () => number;
}

function* dumpedFrames(
  records: readonly DumpedRecord[],
  beginnings: readonly RingBeginning[],
  { readers = [], now }: DumpParts,
): Generator<RecordFrame> {
  yield* readers;
  /** The requests whose beginning was not dropped. */
  const asked = new Set<number>();
  const isWhole = ({ kind, request }: Pick<RecordFrame, 'kind' | 'request'>): boolean => {
    if (kind === RecordKind.listAsked || kind === RecordKind.watchAsked) asked.add(request);
    return asked.has(request);
  };
  const atMs = records[0]?.record.place.atMs ?? now();
  for (const { frames } of beginnings)
    for (const frame of frames(atMs)) if (isWhole(frame)) yield frame;
  for (const { record, ring } of records) {
    const { place, kind, flags } = record;
    if (kind === VANISHED || !isWhole({ kind, ...place })) continue;
    yield { kind, flags, ...place, body: ring.bodyOf(record) };
  }
}
