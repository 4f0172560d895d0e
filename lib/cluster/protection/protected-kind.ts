import type { Client } from '../../client/rest/client.ts';
import type { ObjectMeta } from '../../meta/object.ts';

/** The facts of an object that protection needs. */
export interface ProtectedObject {
  /** Empty for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  readonly isGoing: boolean;
  /** The uid of the owner that controls it; empty without one. */
  readonly controlledBy: string;
}

/** Whether an object is in use. */
export type IsUsed = (object: ProtectedObject) => Promise<boolean>;

/** A kind whose objects stay after their deletion while they are used. */
export interface ProtectedKind {
  readonly apiVersion: string;
  readonly resource: string;
  /** The resource with its group, as `pods` or `deployments.apps`. */
  readonly fullName: string;
  readonly finalizer: string;
  /** The full names of the resources whose objects use those of this kind. */
  readonly users: readonly string[];
  /** The batch of an object: what is asked once for all objects of a batch. */
  batchOf(object: ProtectedObject): string;
  /** The batch whose objects may be free after this change of a user; undefined for none. */
  batchAfter(user: ObjectMeta, change: UserChange): string | undefined;
  /** Looks for users at the server, in the state of now or later, at most once for all objects of a batch. */
  usage(client: Client, batch: string, signal: AbortSignal): IsUsed;
}

/** How a user of objects has changed. A new one frees nothing. */
export type UserChange = 'updated' | 'gone';
