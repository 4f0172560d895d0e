import type { KubernetesObject, ObjectMeta, UnstructuredObject } from '../../../meta/object.ts';

/** The operation of a request. `CONNECT`: a stream of a pod or a proxy; its object is the options of the stream. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** An object of a review: it is not stored yet, so it may lack a resource version, and a name if it has `generateName`. */
export type Admitted<T> = T & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** The user of the request. */
export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A request that a webhook is asked about, and what it can say besides its verdict. */
export interface AdmissionContext {
  /** The name in the request; empty for a create with `generateName` at servers that have not made the name yet. */
  readonly name: string;
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly user: AdmissionUser;
  /** Nothing is stored: the webhook must not change anything elsewhere either. */
  readonly isDryRun: boolean;
  /** The options of the request, such as `fieldManager`. */
  readonly options: UnstructuredObject | undefined;
  /** Aborts shortly before the API server gives up, or when it has closed the connection. */
  readonly signal: AbortSignal;
  /**
   * Denies the request. It may be called several times: all reasons are shown together. The code is 403, or 422 as soon as one of them
   * names a field.
   */
  readonly deny: (message: string, options?: DenyOptions) => void;
  /** Shows a text to the user, also when the request is denied. API servers cut it after 256 characters, and all texts after 4096. */
  readonly warn: (text: string) => void;
  /** Adds to the audit record of the request, under the name of the webhook. */
  readonly audit: (key: string, value: string) => void;
}

export interface DenyOptions {
  /** The field that is wrong, e.g. `spec.rules[0].host`. */
  readonly field?: string | undefined;
}

/** Operation and objects: what there is depends on the operation. */
export type ReviewedObjects<T, Old, Op extends Operation> = Op extends 'CREATE'
  ? { readonly operation: 'CREATE'; readonly object: T; readonly oldObject: undefined }
  : Op extends 'UPDATE'
    ? { readonly operation: 'UPDATE'; readonly object: T; readonly oldObject: Old }
    : Op extends 'DELETE'
      ? { readonly operation: 'DELETE'; readonly object: undefined; readonly oldObject: Old }
      : {
          readonly operation: 'CONNECT';
          readonly object: UnstructuredObject;
          readonly oldObject: undefined;
        };

/** The argument of a validating function. */
export type Validation<T, Op extends Operation = 'CREATE' | 'UPDATE'> = AdmissionContext &
  ReviewedObjects<Admitted<T>, Admitted<T>, Op>;

/** The argument of a mutating function: `object` is a copy, to be changed. */
export type Mutation<T, Op extends Operation = 'CREATE' | 'UPDATE'> = AdmissionContext &
  ReviewedObjects<Draft<Admitted<T>>, Admitted<T>, Op>;

/** Says by `deny` what is wrong; a request that is not denied is allowed. */
export type Validate<T extends KubernetesObject, Op extends Operation> = (
  review: Validation<T, Op>,
) => void | Promise<void>;

/** Changes `object`, or returns a changed copy of it. */
export type Mutate<T extends KubernetesObject, Op extends Operation> = (
  review: Mutation<T, Op>,
) => void | object | Promise<void | object>;

/** A copy of a value: it cannot be changed, or holds nothing that can. */
type Plain = string | number | boolean | bigint | symbol | null | undefined | Date;

/** `T` as a copy that may be changed: no property is read-only, at any depth. */
type Draft<T> = unknown extends T
  ? T
  : T extends Plain
    ? T
    : { -readonly [Field in keyof T]: Draft<T[Field]> };
