import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from './admission.ts';
import type { ServerParts } from './subresource-parts.ts';

/** The state of one pass of a request through the mutating plug-ins. */
export interface MutationRound {
  /** Whether the plug-ins have seen the request before: a webhook has changed the object. */
  readonly isAgain: boolean;
  /** Asks for a second round. */
  askAgain(): void;
  /** The state of a plug-in between the first round and the second. */
  readonly kept: Map<string, unknown>;
}

/**
 * One step of admission. It has `mutate`, `validate` or both.
 * @see apiserver pkg/admission/interfaces.go @ v0.36.3
 */
export interface AdmissionPlugIn {
  readonly name: string;
  /** Whether it may look at requests of this kind at present. Called for each request, so it must be fast. */
  wants(scope: AdmissionScope): boolean;
  /** May change `request.object`, or replace it. Runs up to twice. @throws {ApiError} */
  mutate?(request: AdmissionRequest, round: MutationRound): void | Promise<void>;
  /** @throws {ApiError} */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The name of what is refused; before it has one, the text that it will be generated from. */
export function admittedName({ name, object }: AdmissionRequest): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || '';
}

export interface FollowOptions<T> {
  readonly group: string;
  /** Lower-case plural. */
  readonly resource: string;
  /** Returns the part of an object that is kept. Must not throw. */
  readonly read: (object: UnstructuredObject) => T;
  /** Called after each change, with the value that was kept before and the one that is kept now; undefined for a missing object. */
  readonly onChange?: ((before: T | undefined, after: T | undefined) => void) | undefined;
}

/** All stored objects of one kind, so that no request reads them. */
export interface Followed<T> {
  readonly isEmpty: boolean;
  /** Those of a namespace, by name. The namespace of cluster-scoped objects is empty. */
  in(namespace: string): readonly T[];
  /** That of one object; undefined when it is not stored. */
  named(namespace: string, name: string): T | undefined;
}

export interface PlugInParts {
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly storeOf: ServerParts['storeOf'];
  /** Whether pods need a service account, and get its token. */
  readonly serviceAccounts: boolean;
  /** Whether a hook or a webhook may look at requests at present. */
  readonly isSeen: () => boolean;
  /** Follows the stored objects of a kind. */
  readonly follow: <T>(options: FollowOptions<T>) => Followed<T>;
}
