import type { ErrorCode } from '../../kernel/failure/errors.ts';
import { PACKAGE_VERSION } from '../../kernel/text/package-version.ts';
import type { MaskChoice } from '../../meta/masking/object-mask.ts';
import type { SourceIdentity } from './source-identity.ts';
import { FrameReader } from './frame-reader.ts';
import { frameBytes, jsonFrame, RecordKind } from './record-frame.ts';

/** The first line of a file: what it is. */
export const RECORDING_LINE = 'listwatch recording\n';
export const SNAPSHOT_LINE = 'listwatch snapshot\n';

/**
 * The version of the format, which the header names. 2 and 4 have the requests of several readers, and the readers; 3 and 4 have objects as
 * differences to earlier ones.
 */
export type FormatVersion = 1 | 2 | 3 | 4;

export function formatVersion(has: {
  readonly severalReaders: boolean;
  readonly differences: boolean;
}): FormatVersion {
  if (has.differences) return has.severalReaders ? 4 : 3;
  return has.severalReaders ? 2 : 1;
}

export function hasSeveralReaders({ format }: FileHeader): boolean {
  return format === 2 || format === 4;
}

/** The header of a recording of several collections. */
export const SEVERAL_COLLECTIONS = 'several collections';

/** The first record of a file. */
export interface FileHeader {
  readonly format: number;
  /** The version of the package that has written it. */
  readonly listwatch: string;
  /** The collection, as its source describes it: resource, namespace, selectors. `several collections` for those that a client has read. */
  readonly collection: string;
  /** Server and user; undefined when they were not given. */
  readonly identity?: SourceIdentity | undefined;
  /** Wall-clock time of its start, as text. */
  readonly startedAt: string;
  readonly mask?: MaskChoice | undefined;
  /** The fields that its objects are reduced to. */
  readonly fields?: readonly string[] | undefined;
  /** Of a snapshot: the version of the state. */
  readonly resourceVersion?: string | undefined;
  /** Of a recording: the version at which the kept time begins, if earlier records were dropped. */
  readonly keptFrom?: string | undefined;
}

export type HeaderFields = Omit<FileHeader, 'format' | 'listwatch'>;

/** The first line and the header. */
export function headBytes(line: string, fields: HeaderFields, format: FormatVersion = 1): Buffer {
  const header: FileHeader = { format, listwatch: PACKAGE_VERSION, ...fields };
  return Buffer.concat([Buffer.from(line), frameBytes(jsonFrame(RecordKind.header, header))]);
}

/**
 * Reads the first line and the header; the reader stands behind them. `formats`: the versions of the format that the caller reads.
 * @throws {ListwatchError} with the code, for a file that is something else, or of another version of the format.
 */
export function readHead(
  file: string,
  bytes: Buffer,
  line: string,
  code: ErrorCode,
  formats: readonly FormatVersion[] = [1],
): { readonly header: FileHeader; readonly reader: FrameReader } {
  const reader = new FrameReader(file, bytes, Buffer.byteLength(line), code);
  if (bytes.subarray(0, Buffer.byteLength(line)).toString('latin1') !== line) {
    throw reader.error(`it does not begin with "${line.trim()}": it is another file`);
  }
  const frame = reader.next();
  if (frame?.kind !== RecordKind.header) throw reader.error('it has no header');
  const header = reader.json(frame) as Partial<FileHeader> | null;
  if (!formats.some((format) => format === header?.format)) {
    const found = JSON.stringify(header?.format) ?? 'unknown';
    throw reader.error(
      `it has format version ${found}, and this version of listwatch reads ${formats.join(', ')}`,
    );
  }
  return { header: header as FileHeader, reader };
}
