import type { SharedIndexInformer, SharedInformerFactory, UnstructuredObject } from 'listwatch';
import type { Timeline } from './timeline.ts';

/** A resource as it stands in a URL. */
export interface MirroredResource {
  readonly apiVersion: string;
  readonly resource: string;
}

/** How often what happened. */
export interface MirrorCounts {
  readonly lists: number;
  readonly resumes: number;
  readonly events: number;
}

/** One informer whose life is told on the timeline. */
export class Mirror {
  readonly apiVersion: string;
  readonly resource: string;
  readonly informer: SharedIndexInformer<UnstructuredObject>;
  readonly #timeline: Timeline;
  #lists = 0;
  #resumes = 0;
  #events = 0;

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

  get counts(): MirrorCounts {
    return { lists: this.#lists, resumes: this.#resumes, events: this.#events };
  }

  #tellOfReflector(): void {
    const tell = (text: string): void => this.#timeline.say('reflector', this.resource, text);
    this.informer.events.on('transition', ({ from, to, reason, items = 0, resourceVersion }) => {
      if (from === 'watching') tell(reason);
      if (to !== 'watching') return;
      if (from === 'listing' || from === 'streaming-list') {
        this.#lists += 1;
        tell(`${items} objects listed, watching from ${resourceVersion}`);
        const { queued } = this.informer.inspect();
        this.#timeline.say('fifo', this.resource, `${queued} item: the whole list in one step`);
      } else {
        this.#resumes += 1;
        tell(`watching again from ${resourceVersion}, nothing listed`);
      }
    });
  }

  #tellOfObjects(): void {
    const count = (what: string): void => {
      this.#events += 1;
      this.#timeline.tally('handler', this.resource, what);
    };
    this.informer.addHandler({
      view: 'metadata',
      onAdd: () => count('added'),
      onUpdate: () => count('updated'),
      onDelete: () => count('deleted'),
    });
  }
}
