import type { CacherStatus } from '../../cacher/cacher-status.ts';
import type { KeyValueStatus } from '../../mvcc/contract/key-value-store.ts';

/** One resource of a server. */
export interface ResourceInspection {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  /** Its watch cache. Missing while nothing has read it, and for events, which have none. */
  readonly cache?: CacherStatus | undefined;
}

/** A server at one moment: plain data for a log or a debugging page. */
export interface ServerInspection {
  /** `http://HOST:PORT`; missing before `listen`. */
  readonly url?: string | undefined;
  /** The newest revision of the store. */
  readonly revision: string;
  /** History before it is gone. */
  readonly compactedRevision: string;
  readonly connections: number;
  /** Rules that make requests fail on purpose; see `ApiServer.faults`. */
  readonly faults: number;
  readonly resources: readonly ResourceInspection[];
}

interface InspectedParts {
  readonly listener: { readonly address: string; readonly connections: number };
  readonly faults: { readonly size: number };
  readonly storages: { inspect(): readonly ResourceInspection[] };
}

export function inspectionOf(
  { revision, compactedRevision }: KeyValueStatus,
  { listener, faults, storages }: InspectedParts,
): ServerInspection {
  return {
    ...(listener.address === '' ? {} : { url: `http://${listener.address}` }),
    revision: revision.toString(),
    compactedRevision: compactedRevision.toString(),
    connections: listener.connections,
    faults: faults.size,
    resources: storages.inspect(),
  };
}
