import {
  isExpired,
  type SharedIndexInformer,
  type SharedInformerFactory,
  type UnstructuredObject,
} from 'listwatch';
import type { Timeline } from './timeline.ts';

/** A resource as written in a URL. */
export interface MirroredResource {
  readonly apiVersion: string;
  readonly resource: string;
}

/** Counts of events. */
export interface MirrorCounts {
  readonly lists: number;
  readonly resumes: number;
  readonly events: number;
}

/** One informer that prints its lifecycle on the timeline. */
export class Mirror {
  readonly apiVersion: string;
  readonly resource: string;
  readonly informer: SharedIndexInformer<UnstructuredObject>;
  readonly #timeline: Timeline;
  #lists = 0;
  #resumes = 0;
  #events = 0;
  /** The version from which a lost watch was requested again; undefined while a watch is open. */
  #reopenedFrom: string | undefined;

  constructor(
    informers: SharedInformerFactory,
    { apiVersion, resource }: MirroredResource,
    timeline: Timeline,
  ) {
    this.apiVersion = apiVersion;
    this.resource = resource;
    this.informer = informers.for(apiVersion, resource);
    this.#timeline = timeline;
    this.#tellOfReflector();
    this.#tellOfObjects();
  }

  /** Whether a watch is open. */
  get watching(): boolean {
    return this.informer.inspect().connected;
  }

  /** Prints when a lost watch is open again. */
  lookForResume(): void {
    if (this.#reopenedFrom === undefined || !this.watching) return;
    this.#resumes += 1;
    const how = `watch reopened from ${this.#reopenedFrom}, without a list`;
    this.#timeline.say('reflector', this.resource, how);
    this.#reopenedFrom = undefined;
  }

  get counts(): MirrorCounts {
    return { lists: this.#lists, resumes: this.#resumes, events: this.#events };
  }

  #tellOfReflector(): void {
    const { events } = this.informer;
    events.on('transition', ({ from, to, items, resourceVersion }) => {
      if (to !== 'watching') return;
      const listed = from === 'listing' || from === 'streaming-list';
      this.#reopenedFrom = listed ? undefined : resourceVersion;
      if (!listed) return;
      this.#lists += 1;
      const objects = items === 1 ? '1 object' : `${items ?? 0} objects`;
      const how = `${objects} listed, watching from ${resourceVersion}`;
      this.#timeline.say('reflector', this.resource, how);
      this.#timeline.tally('fifo', '', 'whole lists queued, each as one item');
    });
    events.on('watch-error', (error) => {
      if (isExpired(error)) {
        this.#timeline.tally(
          'reflector',
          '',
          'watches refused with 410, because their history is compacted',
        );
      } else {
        this.#timeline.tally('reflector', '', 'watches lost');
      }
    });
  }

  #tellOfObjects(): void {
    const count = (what: string): void => {
      this.#events += 1;
      this.#timeline.tally('handler', this.resource, what);
    };
    this.informer.addHandler({
      view: 'key',
      onAdd: () => count('added'),
      onUpdate: () => count('updated'),
      onDelete: () => count('deleted'),
    });
  }
}
