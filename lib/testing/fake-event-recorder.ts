import { eventFact, type EventReference } from '../controller/events/event-fact.ts';
import type { EventSink, NewEvent } from '../controller/events/event-sink.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import type { KubernetesObject } from '../meta/object.ts';

/** An event as a test reads it. */
export interface FakeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: EventReference;
  readonly related: EventReference | undefined;
}

export interface FakeEventRecorderOptions {
  /** Events that are kept; later ones are counted in `dropped`. @defaultValue 10 000 */
  readonly capacity?: number | undefined;
}

const OPTIONS = optionsOf<FakeEventRecorderOptions>()('FakeEventRecorder', {
  capacity: is.integer({ min: 0 }).default(10_000),
});

/**
 * Collects events in place of an `EventRecorder`. It writes nothing, combines nothing, and never blocks.
 *
 * @example
 * const events = new FakeEventRecorder();
 * const sites = controller(client, 'example.com/v1', 'sites', { events }).reconcile(reconcileSite);
 * // After a run:
 * events.lines; // ['Normal Published Site default/hello: the page is there']
 */
export class FakeEventRecorder implements EventSink {
  /** All events, the oldest first. */
  readonly events: FakeEvent[] = [];
  readonly #capacity: number;
  #dropped = 0;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: FakeEventRecorderOptions = {}) {
    this.#capacity = OPTIONS.read(options).capacity;
  }

  /** Events beyond the capacity. */
  get dropped(): number {
    return this.#dropped;
  }

  /** `type reason kind key: note` for each event. */
  get lines(): readonly string[] {
    return this.events.map(({ type, reason, note, regarding }) => {
      const { kind, namespace, name } = regarding;
      const key = namespace ? `${namespace}/${name}` : name;
      return `${type} ${reason} ${kind} ${key}: ${note}`;
    });
  }

  /**
   * @throws {ListwatchError} code INVALID_OPTION for an event that an `EventRecorder` would drop as invalid: in a test it is a mistake.
   */
  event(object: KubernetesObject, event: NewEvent): void {
    const fact = eventFact(object, event);
    if (this.events.length < this.#capacity) this.events.push(fact);
    else this.#dropped += 1;
  }

  /** Forgets all events. */
  clear(): void {
    this.events.length = 0;
    this.#dropped = 0;
  }
}
