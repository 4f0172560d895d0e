import type { ResourceName } from '../../../meta/collection-options.ts';
import type { ObjectView } from '../../../meta/object-view.ts';

/**
 * Which collection is kept, and in which form.
 *
 * @experimental
 */
export interface WarmCollection {
  /** Resource, namespace and selectors, as the source describes them. */
  readonly description: string;
  /** Undefined: not known. */
  readonly resource?: ResourceName | undefined;
  /** The fields that its objects are reduced to; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

/**
 * A collection at a version.
 *
 * @experimental
 */
export interface WarmState {
  readonly resourceVersion: string;
  /** Its objects, piece by piece. It throws if the rest cannot be read; then none of them counts. */
  readonly pieces: AsyncIterable<readonly ObjectView[]>;
  /** Called once, when it is no longer needed, also if it was not read. */
  close(): Promise<void>;
}

/**
 * A collection at a version, to be kept. The objects stay readable until `save` has settled.
 *
 * @experimental
 */
export interface StateToKeep {
  readonly resourceVersion: string;
  readonly objects: readonly ObjectView[];
}

/**
 * Where an informer keeps its cache for its next start. `fileWarmStart` of `listwatch/recorder` keeps it in a file.
 *
 * @experimental
 */
export interface WarmStart {
  /** How often a changed cache is saved, milliseconds. */
  readonly everyMs: number;
  /**
   * The state that was saved last; undefined if there is none. If it rejects, the collection is listed, and the error is reported.
   */
  load(collection: WarmCollection, signal: AbortSignal): Promise<WarmState | undefined>;
  /** Replaces what was saved, as a whole. An error is reported. With code WARM_START_REFUSED it is not called again. */
  save(collection: WarmCollection, state: StateToKeep): Promise<void>;
}
