import { LRUCache } from 'lru-cache';
import type { ListerWatcher } from '../../cache/reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import type { ObjectMask } from '../../meta/masking/object-mask.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import { collectionKey } from '../format/reader-record.ts';
import { jsonFrame, RecordKind, type RecordFrame } from '../format/record-frame.ts';
import { RecordedSource } from './recorded-source.ts';
import type { RecordSink } from './record-sink.ts';

/** One of the readers of a recording. */
export interface NumberedReader {
  readonly number: number;
  readonly reader: CollectionReader;
}

/** Returns the sink of a request of a cache, or of a reader without one. */
export type SinkOfRequest = (cache: ReceivedObjects | undefined) => RecordSink;

export interface RecordedReadersOptions {
  /** Returns the sink of the requests of a reader; a cache may have one of its own. */
  readonly sinkOf: (numbered: NumberedReader) => SinkOfRequest;
  readonly mask: ObjectMask;
  /** The time of the recording, milliseconds. */
  readonly now: () => number;
  /** A request of a source has failed. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** The record that says who a reader is. */
export function readerFrame({ number, reader }: NumberedReader, atMs: number): RecordFrame {
  return jsonFrame(RecordKind.reader, reader, { request: number, atMs });
}

/** Collections whose calls are counted as those of one reader. */
const MOST_CALLED = 1000;

/** The readers of one recording, each with its number. */
export class RecordedReaders {
  readonly #options: RecordedReadersOptions;
  /** Readers that make one call are one for each collection. */
  readonly #called = new LRUCache<string, SinkOfReader>({ max: MOST_CALLED });
  #readers = 0;
  #requests = 0;

  constructor(options: RecordedReadersOptions) {
    this.#options = options;
  }

  /** The source, with what it brings written down. */
  recorded<T extends KubernetesObject>(
    source: ListerWatcher<ObjectView<T>>,
    reader: CollectionReader,
  ): ListerWatcher<ObjectView<T>> {
    const { now, mask, onFailed } = this.#options;
    const { apiVersion, resource } = reader;
    const { number, sinkOf } = this.#sinkOf(reader);
    return new RecordedSource<T>({
      now,
      mask,
      resource: { apiVersion, resource },
      source,
      sinkOf,
      reader: number,
      onFailed: reader.by === 'source' ? onFailed : undefined,
      nextRequest: () => (this.#requests += 1),
    });
  }

  #sinkOf(reader: CollectionReader): SinkOfReader {
    const key = collectionKey(reader);
    const known = reader.by === 'call' ? this.#called.get(key) : undefined;
    if (known !== undefined) return known;
    this.#readers += 1;
    const number = this.#readers;
    const made = { number, sinkOf: this.#options.sinkOf({ number, reader }) };
    if (reader.by === 'call') this.#called.set(key, made);
    return made;
  }
}

interface SinkOfReader {
  readonly number: number;
  readonly sinkOf: SinkOfRequest;
}
