import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import {
  type ListRequest,
  type WatchRequest,
  isProbe,
} from '../../cache/reflector/contract/lister-watcher.ts';
import {
  hasSeveralReaders,
  readHead,
  RECORDING_LINE,
  type FileHeader,
} from '../format/file-head.ts';
import { isObjectJson } from '../format/file-object.ts';
import type { FrameReader, ReadFrame } from '../format/frame-reader.ts';
import { isEndOfWatch, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import { descriptionOf, readerOf } from '../format/reader-record.ts';
import { readFileWithin } from '../files/private-file.ts';

/** A request of a recording, and what came back. */
export interface Exchange {
  readonly kind: 'list' | 'watch';
  /** The place of its record in the file, from 1. */
  readonly number: number;
  readonly atMs: number;
  readonly request: ListRequest & WatchRequest;
  readonly answers: RecordedAnswer[];
}

/** A record of what came back. */
export type RecordedAnswer = ReadFrame;

/** The programs and their requests, in their order, without those that only ask how the server is. */
export interface RecordedReader {
  readonly description: string;
  /** The collection that it reads; undefined in a recording of one source, which says it as text. */
  readonly collection: CollectionReader | undefined;
  readonly exchanges: readonly Exchange[];
}

/** A recording in memory: the bytes of the file, in which the bodies lie, or out of which each is made when it is read. */
export interface ReadRecording {
  readonly path: string;
  readonly header: FileHeader;
  readonly readers: readonly RecordedReader[];
  readonly records: number;
  /** The time of the last record. */
  readonly durationMs: number;
  /** Why it ended, such as `closed` or `full`; undefined if it was cut short. */
  readonly ended: string | undefined;
  /** JSON of an answer. */
  readonly json: (answer: RecordFrame) => unknown;
}

const FORMATS = [1, 2, 3, 4] as const;
/** A larger file is not read. */
const MOST_BYTES = 2 * 1024 ** 3 - 1;

/**
 * Reads and checks a whole recording. With `partial` it is read up to the last whole record if it was cut short.
 * @throws {ListwatchError} code RECORDING_FILE when it cannot be read; RECORDING_INVALID; INVALID_OPTION for what is no path.
 */
export async function readRecording(
  path: string,
  partial: boolean = false,
): Promise<ReadRecording> {
  if (!((path as unknown) instanceof URL) && (typeof path !== 'string' || path === '')) {
    const given = (path as unknown) === '' ? 'an empty text' : typeof path;
    throw new ListwatchError(
      'INVALID_OPTION',
      `replay: the first argument must be the path of a recording, such as 'incident.listwatch', not ${given}`,
    );
  }
  const bytes = await readFileWithin(path, MOST_BYTES, 'RECORDING_FILE');
  if (bytes === undefined) {
    throw new ListwatchError('RECORDING_FILE', `there is no recording ${path}`);
  }
  return recordingOf(path, bytes, partial);
}

export function recordingOf(path: string, bytes: Buffer, partial: boolean): ReadRecording {
  const { header, reader } = readHead(path, bytes, RECORDING_LINE, 'RECORDING_INVALID', FORMATS);
  const sorted = new SortedRecords(header, reader);
  let records = 0;
  let durationMs = 0;
  let ended: string | undefined;
  try {
    for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
      if (ended !== undefined) throw reader.error('records follow its last one');
      durationMs = Math.max(durationMs, frame.atMs);
      if (frame.kind === RecordKind.end) {
        ended = (reader.json(frame) as { reason?: string }).reason ?? '';
        continue;
      }
      if (!hasJson(frame)) throw reader.error(`record ${frame.number} is no JSON`);
      records += 1;
      sorted.add(frame);
    }
    if (ended === undefined) throw reader.error(`it was cut short behind record ${records}`);
  } catch (error) {
    if (!partial) throw withRemedy(error, path, records);
  }
  const { readers } = sorted;
  const json = (frame: RecordFrame): unknown => reader.json(frame);
  return { path, header, readers, records, durationMs, ended, json };
}

/** An edited file may have right checksums. What is found only while programs read it would be a failure that they try again and again. */
function hasJson({ body }: ReadFrame): boolean {
  return body.length === 0 || isObjectJson(body);
}

type Asked = ListRequest & WatchRequest;
interface OpenReader extends RecordedReader {
  readonly exchanges: Exchange[];
  /** Those that are open. */
  readonly watches: Set<Exchange>;
}

/** Finds for each record the request, and for each request the reader. */
class SortedRecords {
  readonly #file: FrameReader;
  readonly #isOfSeveral: boolean;
  readonly #readers = new Map<number, OpenReader>();
  readonly #open = new Map<number, OpenRequest>();

  constructor(header: FileHeader, file: FrameReader) {
    this.#file = file;
    this.#isOfSeveral = hasSeveralReaders(header);
    if (this.#isOfSeveral) return;
    const { collection: description } = header;
    this.#readers.set(0, { description, collection: undefined, exchanges: [], watches: new Set() });
  }

  get readers(): readonly RecordedReader[] {
    return [...this.#readers.values()];
  }

  add(frame: ReadFrame): void {
    const { kind, request, number } = frame;
    if (kind === RecordKind.listAsked || kind === RecordKind.watchAsked) {
      this.#ask(frame);
    } else if (kind === RecordKind.reader && this.#isOfSeveral) {
      this.#begin(frame);
    } else {
      const open = this.#open.get(request);
      if (open === undefined || kind > RecordKind.end) {
        throw this.#file.error(`record ${number} of kind ${kind} belongs to no request`);
      }
      open.exchange.answers.push(frame);
      if (kind === RecordKind.watchAccepted) open.reader.watches.add(open.exchange);
      else if (isEndOfWatch(kind)) open.reader.watches.delete(open.exchange);
    }
  }

  #begin(frame: ReadFrame): void {
    const { number } = frame;
    const collection = readerOf(this.#file.json(frame));
    if (collection === undefined || this.#readers.has(frame.request)) {
      throw this.#file.error(`record ${number} is no reader of a collection`);
    }
    const description = descriptionOf(collection);
    this.#readers.set(frame.request, {
      description,
      collection,
      exchanges: [],
      watches: new Set(),
    });
  }

  #ask(frame: ReadFrame): void {
    const { number } = frame;
    const { reader = 0, ...request } = (this.#file.json(frame) ?? {}) as Asked & Numbered;
    const made = this.#readers.get(this.#isOfSeveral ? reader : 0);
    if (made === undefined) {
      throw this.#file.error(`record ${number} is a request of reader ${reader}, which is none`);
    }
    const kind = frame.kind === RecordKind.listAsked ? 'list' : 'watch';
    const exchange: Exchange = { kind, number, atMs: frame.atMs, request, answers: [] };
    this.#open.set(frame.request, { exchange, reader: made });
    const isBeside = kind === 'list' || made.watches.size > 0;
    if (!isBeside || !isProbe(request)) made.exchanges.push(exchange);
  }
}

interface OpenRequest {
  readonly exchange: Exchange;
  readonly reader: OpenReader;
}

interface Numbered {
  readonly reader?: number | undefined;
}

function withRemedy(error: unknown, path: string, records: number): unknown {
  if (!(error instanceof ListwatchError) || records === 0) return error;
  const remedy = `replay its ${records} whole records with partial: true, on the command line --partial`;
  return new ListwatchError('RECORDING_INVALID', `${error.message}; ${remedy}`, { cause: path });
}
