import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { AdmissionPlugIn, PlugInParts } from './plug-in.ts';
import type { ServerParts, VirtualResource } from './subresource-parts.ts';

/** A resource with objects that a server has from its start. */
export interface BootstrapObjects {
  readonly group: string;
  readonly resource: string;
  /** The objects without what `seededObject` adds; `now` is the time of the start, as in `creationTimestamp`. */
  readonly objects: (now: string) => readonly UnstructuredObject[];
  /** The fields in the managed fields of each. @defaultValue as `seededObject` reads them from the object */
  readonly fields?: JsonRecord | undefined;
}

/** The service behind which clients in a cluster find the API server. */
export interface OwnService {
  /** Its objects in a new store. */
  readonly objects: readonly BootstrapObjects[];
  /** Creates the service if it is missing, and keeps it. @throws {ApiError} when the storage fails. */
  start(): Promise<void>;
  /** Names the port on which the server listens. @throws {ApiError} when the storage fails. */
  setPort(port: number): Promise<void>;
  close(): Promise<void>;
}

export interface OwnServiceParts {
  readonly storeOf: ServerParts['storeOf'];
  /** Whether `objects` are stored as seeds of a new store. */
  readonly isSeeded: boolean;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/**
 * The kinds that a server always serves, and what belongs to them. `lib/kinds` has those of Kubernetes; `noKinds` has namespaces and
 * custom resource definitions alone.
 */
export interface KindSet {
  /** The minor version of Kubernetes whose kinds they are: 36 for 1.36. */
  readonly minor: KubernetesMinor;
  /** The set as another version has it. */
  ofMinor(minor: KubernetesMinor): KindSet;
  /** Their definitions, in the order of discovery. */
  definitions(options?: Pick<KindDefinition, 'allowPrivileged'>): readonly KindDefinition[];
  /** Resources without stored objects. */
  readonly virtual: readonly VirtualResource[];
  /** All plug-ins of admission in their order: those of the kinds around the hooks and webhooks that every server has. */
  plugIns(parts: PlugInParts, ofServer: readonly AdmissionPlugIn[]): readonly AdmissionPlugIn[];
  /** Completes an object that was read from the storage: with the defaults of its kind. */
  withReadDefaults(object: UnstructuredObject): UnstructuredObject;
  readonly bootstrapObjects: readonly BootstrapObjects[];
  /** @defaultValue the server has no service */
  newOwnService?(parts: OwnServiceParts): OwnService;
}
