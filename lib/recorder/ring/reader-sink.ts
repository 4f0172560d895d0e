import type { ReceivedObjects } from '../../cache/informer/collection/received-objects.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { RecordKind, type RecordFrame } from '../format/record-frame.ts';
import type { RecordPlace, RecordSink } from '../capture/record-sink.ts';

export interface ReaderSinkOptions<Ring extends RecordSink> {
  /** The cache that is filled by the reader at present. */
  readonly cache: () => ReceivedObjects<ObjectView> | undefined;
  /** Where records go while there is none. */
  readonly without: RecordSink;
  readonly begin: (cache: ReceivedObjects<ObjectView>) => Ring;
  readonly end: (ring: Ring) => void;
}

/** Takes the records of a source that fills a cache, which may be another one at the next request. */
export class ReaderSink<Ring extends RecordSink> implements RecordSink {
  readonly #options: ReaderSinkOptions<Ring>;
  #cache: ReceivedObjects<ObjectView> | undefined;
  #ring: Ring | undefined;

  constructor(options: ReaderSinkOptions<Ring>) {
    this.#options = options;
  }

  put(frame: RecordFrame): void {
    const { kind } = frame;
    if (kind === RecordKind.listAsked || kind === RecordKind.watchAsked) this.#follow();
    this.#sink.put(frame);
  }

  putObject(place: RecordPlace, kind: number, flags: number, object: ObjectView): void {
    this.#sink.putObject(place, kind, flags, object);
  }

  get #sink(): RecordSink {
    return this.#ring ?? this.#options.without;
  }

  #follow(): void {
    const { cache: present, begin, end } = this.#options;
    const cache = present();
    if (cache === this.#cache) return;
    if (this.#ring !== undefined) end(this.#ring);
    this.#cache = cache;
    this.#ring = cache && begin(cache);
  }
}
