import { LRUCache } from 'lru-cache';
import type { ListerWatcher } from '../../cache/reflector/contract/lister-watcher.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import { collectionKey } from '../format/reader-record.ts';
import { jsonFrame, RecordKind } from '../format/record-frame.ts';
import { RecordedSource } from './recorded-source.ts';
import type { RecordSink } from './record-sink.ts';

export interface RecordedReadersOptions {
  readonly sink: RecordSink;
  /** The time of the recording, milliseconds. */
  readonly now: () => number;
}

/** Collections whose calls are counted as those of one reader. */
const MOST_CALLED = 1000;

/** The readers of one recording, each with its number. */
export class RecordedReaders {
  readonly #options: RecordedReadersOptions;
  /** Readers that make one call are one for each collection. */
  readonly #called = new LRUCache<string, number>({ max: MOST_CALLED });
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
    return new RecordedSource<T>({
      ...this.#options,
      source,
      reader: this.#numberOf(reader),
      nextRequest: () => (this.#requests += 1),
    });
  }

  #numberOf(reader: CollectionReader): number {
    const key = collectionKey(reader);
    const known = reader.by === 'call' ? this.#called.get(key) : undefined;
    if (known !== undefined) return known;
    this.#readers += 1;
    const { sink, now } = this.#options;
    sink.put(jsonFrame(RecordKind.reader, reader, { request: this.#readers, atMs: now() }));
    if (reader.by === 'call') this.#called.set(key, this.#readers);
    return this.#readers;
  }
}
