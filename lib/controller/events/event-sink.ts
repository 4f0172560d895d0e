import type { KubernetesObject } from '../../meta/object.ts';

/** An event as a controller reports it: what happened to an object, for people who look at it. */
export interface NewEvent {
  /** Why, as one word in CamelCase that programs can match, e.g. `Published`; at most 128 characters. */
  readonly reason: string;
  /** The message for people; cut after 1024 characters. */
  readonly note: string;
  /** @defaultValue 'Normal' */
  readonly type?: 'Normal' | 'Warning' | undefined;
  /** The action of the controller, e.g. `Create`; at most 128 characters. @defaultValue the reason */
  readonly action?: string | undefined;
  /** The part of the object that the event is about, e.g. `spec.containers{main}` of a pod. @defaultValue the whole object */
  readonly fieldPath?: string | undefined;
  /** A second object that the event is about, e.g. the pod that was made. */
  readonly related?: KubernetesObject | undefined;
}

/** Takes the events of objects: an `EventRecorder`, or a `FakeEventRecorder` in a test. */
export interface EventSink {
  /** Returns at once and never throws. `object` needs `apiVersion`, `kind` and `metadata.name`. */
  event(object: KubernetesObject, event: NewEvent): void;
}
