import { RecordKind } from '../format/record-frame.ts';
import { collectionKey } from '../format/reader-record.ts';
import type { ServedReader } from '../replay-server/replay-server.ts';
import { recordedObjects } from './play-recording.ts';
import type { RecordedReader, ReadRecording } from './read-recording.ts';

/**
 * The readers of a recording whose answers clients of its server get: without those whose objects another one has too, so that each change
 * comes once.
 */
export function servedReaders({ readers }: ReadRecording): readonly RecordedReader[] {
  return readers.filter(
    (reader, index) =>
      !readers.some((other, at) => other !== reader && isCovered(reader, other, at < index)),
  );
}

/** `isEarlier`: the other one is the one to keep of two that are alike. */
function isCovered(reader: RecordedReader, other: RecordedReader, isEarlier: boolean): boolean {
  const [part, whole] = [reader.collection, other.collection];
  if (part === undefined || whole === undefined) return false;
  if (part.apiVersion !== whole.apiVersion || part.resource !== whole.resource) return false;
  if (isWatched(reader) && !isWatched(other)) return false;
  if (collectionKey(part) === collectionKey(whole)) {
    return isEarlier || (isWatched(other) && !isWatched(reader));
  }
  const { namespace = '', labelSelector, fieldSelector, shardSelector } = whole;
  if (namespace !== '' && namespace !== part.namespace) return false;
  // A single list is older than a watch.
  if (isWatched(other) && !isWatched(reader)) return true;
  if (whole.metadataOnly === true && part.metadataOnly !== true) return false;
  return !labelSelector && !fieldSelector && !shardSelector;
}

function isWatched({ exchanges }: RecordedReader): boolean {
  return exchanges.some(({ kind }) => kind === 'watch');
}

/** The part of a reader that its server needs. */
export function servedReader(reader: RecordedReader): ServedReader {
  const { description, collection } = reader;
  const objects = { [Symbol.iterator]: () => recordedObjects([reader]) };
  return { description, collection, itemKind: itemKindOf(reader), objects };
}

/** The kind that an answer without objects names. */
function itemKindOf({ exchanges }: RecordedReader): string | undefined {
  for (const { answers } of exchanges) {
    for (const answer of answers) {
      const { kind } = answer;
      if (kind !== RecordKind.pageEnd && kind !== RecordKind.bookmark) continue;
      const { body } = answer;
      if (!body.includes('"itemKind"')) continue;
      const { itemKind } = JSON.parse(body.toString('utf8')) as { readonly itemKind?: unknown };
      if (typeof itemKind === 'string') return itemKind;
    }
  }
  return undefined;
}
