import type { CacheMemory } from '../../memory/object-memory.ts';
import type { NamespaceInspection } from '../../collection/namespaces/namespace-reflectors.ts';
import type { ReflectorStateName } from '../../reflector/table/reflector-state.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';

/** `failed`: an error that another attempt would have too has stopped it; see `failure` of the informer. */
export type InformerPhase = 'new' | 'running' | 'stopped' | 'failed';

/** One handler at one moment. */
export interface HandlerInspection {
  readonly name: string;
  readonly synced: boolean;
  /** Events that wait for the handler. */
  readonly pending: number;
  /** Callbacks that have returned. */
  readonly delivered: number;
  /** Callbacks that threw. */
  readonly failed: number;
  /** Events that were merged into others because the handler was too slow. */
  readonly coalesced: number;
  /** Effective interval, milliseconds; 0 for never. */
  readonly resyncIntervalMs: number;
}

/** An error that happened some time ago. */
export interface InspectedError {
  readonly message: string;
  /** The time since the error, milliseconds. */
  readonly ageMs: number;
}

/** The reflector of a collection, the queue in front of its cache, and the cache. */
export interface CollectionInspection {
  /** The newest resource version in the store. */
  readonly storeResourceVersion: string;
  readonly objects: number;
  /** Size on the wire of the objects in the cache, as far as it is known; see `ObjectView.sizeBytes`. */
  readonly bytes: number;
  readonly indexes: readonly string[];
  /** Changes that wait for the store. */
  readonly queued: number;
  /** How long the oldest of them has waited, milliseconds; 0 when there is none. */
  readonly lagMs: number;
  /** Objects of a list that is still being read; 0 when none is. */
  readonly listed: number;
  /** How old the last event, bookmark or list is, milliseconds; missing before the first. */
  readonly lastEventAgeMs?: number | undefined;
  /** Events of watches that were applied. */
  readonly eventsApplied: number;
  /** Own writes that are shown although the cache has not caught up with them. */
  readonly ownWrites: number;
  readonly reflector: ReflectorStateName;
  /** A watch is open. */
  readonly connected: boolean;
  /** The reason why requests wait during an outage. Missing while the server answers. */
  readonly waitingForServer?: string | undefined;
  /** The newest resource version received. */
  readonly lastSyncResourceVersion: string;
  /** The memory of the objects. */
  readonly memory: CacheMemory;
  /** Events that were dropped, because they were not newer than what had been seen. */
  readonly staleEvents: number;
  /** Present with option `namespaces`; the fields above are then those of the namespace that is the furthest behind. */
  readonly namespaces?: readonly NamespaceInspection[] | undefined;
}

/** An informer at one moment: plain data for a log or a debugging page, safe to turn into JSON. */
export interface InformerInspection extends CollectionInspection {
  readonly name: string;
  readonly phase: InformerPhase;
  readonly synced: boolean;
  /** The reason why it is not synced, as text. */
  readonly waitingFor?: string | undefined;
  /** Lists after the first one, because the history in between was lost. */
  readonly relists: number;
  /** How long the present watch has been followed, milliseconds; with `namespaces`, the youngest. Missing while there is none. */
  readonly watchAgeMs?: number | undefined;
  /** The part of the time since the informer started in which it followed a watch, from 0 to 1; 0 before it is started. */
  readonly watchingShare: number;
  /** The last failed list or watch. `connected` says whether the informer has recovered. */
  readonly lastError?: InspectedError | undefined;
  readonly handlers: readonly HandlerInspection[];
  /**
   * How far the cache is behind the server: the revisions between its version and the newest change that it lacks, and for how long at least
   * it has lacked one. Both are 0 for a cache that lacks nothing. Missing without option `stalenessIntervalMs`, and before the first answer.
   */
  readonly staleness?: { readonly revisions: number; readonly ms: number } | undefined;
  /** The last audit of option `auditIntervalMs` that came to an end, with the number of objects that the cache has missed. */
  readonly lastAudit?:
    | {
        readonly ageMs: number;
        /** The version of its list. */
        readonly resourceVersion: string;
        /** Objects of its list. */
        readonly objects: number;
        /** Objects that the cache lacks. */
        readonly missing: number;
        /** Objects of which the cache has an older state. */
        readonly stale: number;
        /** Objects of the cache that the server no longer has. */
        readonly leftOver: number;
      }
    | undefined;
  /** The names of other informers that run on the same watch and cache. Missing when there are none. */
  readonly sharedWith?: readonly string[] | undefined;
}

/** An informer, as far as a tool compares it with its server. */
export interface ComparedInformer {
  readonly name: string;
  readonly phase: InformerPhase;
  readonly synced: boolean;
  readonly namespaces: readonly string[] | undefined;
  readonly indexer: {
    keys(): string[];
    metadata(key: string): ObjectMeta | undefined;
    indexValues(index: string): string[];
    indexKeys(index: string, value: string): string[];
  };
}

/** The part that an informer announces; see `Runtime.onPart`. */
export class InformerPart {
  readonly informer: ComparedInformer;
  readonly source: Pick<ListerWatcher<ObjectView>, 'supports'>;

  constructor(informer: ComparedInformer, source: InformerPart['source']) {
    this.informer = informer;
    this.source = source;
  }
}
