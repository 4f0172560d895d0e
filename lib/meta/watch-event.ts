import type { HasMetadata } from './object.ts';

/** A change of one object. For DELETED the object is its last state, with the resource version of the deletion. */
export interface ObjectEvent<V extends HasMetadata> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: V;
}

/** Every matching change up to `resourceVersion` has been sent. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  /** Marks the end of the initial state of a streaming list. */
  readonly initialEventsEnd: boolean;
  /** The kind of the objects; only with `initialEventsEnd`. @defaultValue not known */
  readonly itemKind?: string | undefined;
}

/** An event after decoding. An ERROR on the wire is not an event: it is thrown as an `ApiError`. */
export type WatchEvent<V extends HasMetadata> = ObjectEvent<V> | BookmarkEvent;

/** The annotation of the bookmark that ends the initial state of a streaming list (KEP-3157); its value is `"true"`. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
