import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { ListRequest, WatchRequest } from '../../cache/reflector/contract/lister-watcher.ts';
import { readHead, RECORDING_LINE, type FileHeader } from '../format/file-head.ts';
import { RecordKind, type FrameReader, type RecordFrame } from '../format/record-frame.ts';
import { readFileWithin } from '../files/private-file.ts';

/** A request of a recording, and what came back. */
export interface Exchange {
  readonly kind: 'list' | 'watch';
  readonly atMs: number;
  readonly request: ListRequest & WatchRequest;
  readonly answers: RecordedAnswer[];
}

export interface RecordedAnswer extends RecordFrame {
  /** The place of the record in the file, from 1. */
  readonly number: number;
}

/** A recording in memory; the bodies lie in the bytes of the file. */
export interface ReadRecording {
  readonly path: string;
  readonly header: FileHeader;
  /** In the order of their requests, without those that only ask for the version of the server. */
  readonly exchanges: readonly Exchange[];
  readonly records: number;
  /** The time of the last record. */
  readonly durationMs: number;
  /** Why it ended, such as `closed` or `full`; undefined if it was cut short. */
  readonly ended: string | undefined;
  /** JSON of an answer. */
  readonly json: (answer: RecordFrame) => unknown;
}

/** A larger file is not read. */
const MOST_BYTES = 2 * 1024 ** 3 - 1;

/**
 * Reads and checks a whole recording. With `partial` it is read up to the last whole record if it was cut short.
 * @throws {ListwatchError} code RECORDING_FILE when it cannot be read; RECORDING_INVALID.
 */
export async function readRecording(
  path: string,
  partial: boolean = false,
): Promise<ReadRecording> {
  const bytes = await readFileWithin(path, MOST_BYTES, 'RECORDING_FILE');
  if (bytes === undefined) {
    throw new ListwatchError('RECORDING_FILE', `there is no recording ${path}`);
  }
  return recordingOf(path, bytes, partial);
}

export function recordingOf(path: string, bytes: Buffer, partial: boolean): ReadRecording {
  const { header, reader } = readHead(path, bytes, RECORDING_LINE, 'RECORDING_INVALID');
  const open = new Map<number, Exchange>();
  const all: Exchange[] = [];
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
      records += 1;
      sort(frame, records, reader, open, all);
    }
    if (ended === undefined) throw reader.error(`it was cut short behind record ${records}`);
  } catch (error) {
    if (!partial) throw withRemedy(error, path, records);
  }
  const exchanges = all.filter(({ kind, request }) => kind === 'watch' || request.limit !== 1);
  return {
    path,
    header,
    exchanges,
    records,
    durationMs,
    ended,
    json: (frame) => reader.json(frame),
  };
}

function sort(
  frame: RecordFrame,
  number: number,
  reader: FrameReader,
  open: Map<number, Exchange>,
  all: Exchange[],
): void {
  const { kind, request, atMs } = frame;
  if (kind === RecordKind.listAsked || kind === RecordKind.watchAsked) {
    const exchange: Exchange = {
      kind: kind === RecordKind.listAsked ? 'list' : 'watch',
      atMs,
      request: reader.json(frame) ?? {},
      answers: [],
    };
    open.set(request, exchange);
    all.push(exchange);
    return;
  }
  const exchange = open.get(request);
  if (exchange === undefined || kind > RecordKind.end) {
    throw reader.error(`record ${number} of kind ${kind} belongs to no request`);
  }
  exchange.answers.push({ ...frame, number });
}

function withRemedy(error: unknown, path: string, records: number): unknown {
  if (!(error instanceof ListwatchError) || records === 0) return error;
  const remedy = `replay its ${records} whole records with partial: true`;
  return new ListwatchError('RECORDING_INVALID', `${error.message}; ${remedy}`, { cause: path });
}
