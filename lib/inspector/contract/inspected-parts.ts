import type { AuditOptions, AuditReport } from '../../cache/informer/audit/audit-report.ts';
import type { DumpOptions } from '../../cache/informer/dump/cache-dump.ts';
import type { InformerInspection } from '../../cache/informer/observe/informer-inspection.ts';
import type { ClientInspection } from '../../client/rest/request/client-inspection.ts';
import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type {
  InspectQueueOptions,
  QueueInspection,
} from '../../controller/workqueue/queue-inspection.ts';
import type { ResourceName } from '../../meta/collection-options.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';

/** The part of an informer that an inspector reads: a `SharedIndexInformer` of any kind. */
export interface InspectedInformer {
  readonly name: string;
  /** Undefined: not known. */
  readonly resource?: ResourceName | undefined;
  /** The cache. */
  readonly indexer: {
    readonly size: number;
    readonly resourceVersion: string;
    keys(): string[];
    get(key: string): KubernetesObject | undefined;
    metadata(key: string): ObjectMeta | undefined;
  };
  inspect(): InformerInspection;
  audit(options?: AuditOptions): Promise<AuditReport>;
  dump(options?: DumpOptions): AsyncIterable<string>;
}

/** A `SharedInformerFactory`, or anything else that has informers; those of the moment are shown. */
export interface InspectedInformers {
  readonly informers: readonly InspectedInformer[];
}

/** A queue of any kind of keys; they are shown as texts. */
export interface InspectedQueue {
  readonly name: string;
  inspect(options?: InspectQueueOptions): QueueInspection<unknown>;
}

/** A controller of any kind, with its queue and its informers. */
export interface InspectedController {
  readonly name: string;
  readonly informers?: readonly InspectedInformer[] | undefined;
  inspect(options?: InspectQueueOptions): ControllerInspection;
}

/** The client of the informers: its connections are shown, and objects are read with it to compare them. */
export interface InspectedClient {
  readonly server: string;
  inspect(): ClientInspection | undefined;
  resourceOf(
    object: KubernetesObject,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<{
    get(
      name: string,
      options: { readonly signal?: AbortSignal | undefined },
    ): Promise<KubernetesObject>;
  }>;
}

/** One request, as an `ApiServer` reports it. */
export interface InspectedRequest {
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  readonly method: string;
  readonly url: string;
  readonly user: string | undefined;
  /** 0 when the connection ended before a response began. */
  readonly status: number;
  readonly durationMs: number;
}

/** The watch cache of one resource. */
export interface InspectedCache {
  readonly readiness: string;
  /** How often it was filled. */
  readonly generation: number;
  readonly consistent: boolean;
  readonly resourceVersion: string;
  readonly objectCount: number;
  /** Events of the sliding window, and how many it has room for. */
  readonly historySize: number;
  readonly historyCapacity: number;
  readonly watcherCount: number;
}

export interface InspectedResource {
  readonly group: string;
  readonly resource: string;
  /** Missing while nothing has read it. */
  readonly cache?: InspectedCache | undefined;
}

export interface InspectedServerState {
  readonly url?: string | undefined;
  readonly revision: string;
  readonly compactedRevision: string;
  readonly connections: number;
  readonly faults: number;
  readonly resources: readonly InspectedResource[];
}

/** The workloads of a cluster; a part that has not begun is missing. */
export interface InspectedWorkloads {
  readonly scheduler?:
    | {
        /** Pods that may be tried now. */
        readonly active: number;
        readonly backingOff: number;
        readonly unschedulable: number;
        readonly gated: number;
        readonly binding: number;
      }
    | undefined;
  readonly nodes?:
    | {
        readonly nodes: readonly {
          readonly name: string;
          readonly phase: string;
          /** By phase. */
          readonly pods: Readonly<Record<string, number>>;
        }[];
        /** Of all nodes, by what a user sees of a pod. */
        readonly pods: Readonly<Record<string, number>>;
      }
    | undefined;
  readonly rollouts?:
    | readonly {
        readonly key: string;
        readonly state: 'complete' | 'progressing' | 'paused' | 'failed';
        readonly wanted: number;
        readonly updated: number;
        readonly available: number;
        readonly present: number;
        readonly message: string | undefined;
      }[]
    | undefined;
}

/** A `Cluster` of this process. */
export interface InspectedCluster {
  readonly server: InspectedServer;
  inspect(): { readonly workloads?: InspectedWorkloads | undefined };
}

/** An `ApiServer`. */
export interface InspectedServer {
  inspect(): Promise<InspectedServerState>;
  /** Calls the function after each request, until the returned one is called. */
  observeRequests(observer: (request: InspectedRequest) => void): () => void;
}
