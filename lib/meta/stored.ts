/** `metadata` of every stored object: the server sets these fields. */
export interface StoredMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** RFC 3339. The types of some packages declare a Date here; it is text all the same. */
  readonly creationTimestamp: string | Date;
}

/**
 * An object as a server or a cache gives it: `T` with the fields that every stored object has. A `Stored<Pod>` is a `Pod`, so a function of
 * pods takes both. Objects that a server answers without storing them, such as a SubjectAccessReview or the object of a dry run, may
 * lack uid and resourceVersion.
 */
export type Stored<T> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
};
