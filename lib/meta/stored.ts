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
 * pods takes both.
 */
export type Stored<T> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
};

/** The answer to a write that may be a dry run: an object that is not stored has a uid of its own, and no resource version. */
export type Unstored<T> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Omit<StoredMeta, 'resourceVersion'> & {
    readonly resourceVersion?: string | undefined;
  };
};

/** The kinds that a server answers and never stores: their objects have no name, uid or resource version. */
export type ReviewKind =
  | 'LocalSubjectAccessReview'
  | 'SelfSubjectAccessReview'
  | 'SelfSubjectReview'
  | 'SelfSubjectRulesReview'
  | 'SubjectAccessReview'
  | 'TokenReview';

/** The answer to a create: `Answer`, or a review as its creator gets it, whose metadata is empty. */
export type Created<T, Answer = Stored<T>> = T extends { readonly kind?: infer Kind }
  ? [NonNullable<Kind>] extends [ReviewKind]
    ? T & { readonly apiVersion: string; readonly kind: string; readonly metadata: object }
    : Answer
  : Answer;
