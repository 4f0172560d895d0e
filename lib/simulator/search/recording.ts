import type { ChangePoint, RequestPoint } from '../contract/fault.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { Change } from '../record/cluster-history.ts';
import { withoutUids } from '../record/uids.ts';
import type { RunRecord, SentRequest } from '../run/run-record.ts';

/** A write of a process that changed something, as a point at which faults can happen. */
export interface RecordedWrite {
  readonly process: string;
  readonly at: RequestPoint;
}

/** The source of plans: a run without faults. */
export interface Recording {
  readonly processes: readonly string[];
  /** Changes since the start, without leases and events. */
  readonly changes: readonly Change[];
  readonly writes: readonly RecordedWrite[];
  /** The number of requests of each process that faults can count. */
  readonly requests: ReadonlyMap<string, number>;
}

export function recordingOf(record: RunRecord, processes: readonly string[]): Recording {
  const changes = record.history.changes.filter(({ ref }) => !isBackgroundResource(ref.resource));
  const requests = new Map<string, number>();
  const writes: RecordedWrite[] = [];
  for (const process of processes) {
    const sent = record.requests.filter(
      ({ actor, resource }) => actor === process && !isBackgroundResource(resource),
    );
    requests.set(process, sent.length);
    writes.push(...effectiveWrites(process, sent, changes));
  }
  return { processes, changes, writes, requests };
}

/** Writes that changed something, each counted among the requests of its verb and object. */
function effectiveWrites(
  process: string,
  sent: readonly SentRequest[],
  changes: readonly Change[],
): readonly RecordedWrite[] {
  const own = changes.filter(({ writer }) => writer === process);
  const used = new Set<Change>();
  const counts = new Map<string, number>();
  const writes: RecordedWrite[] = [];
  for (const { verb, resource, object, isWrite, status, atMs } of sent) {
    if (!isWrite || verb === 'deletecollection') continue;
    const name = withoutUids(object);
    const key = `${verb} ${resource} ${name}`;
    const occurrence = (counts.get(key) ?? 0) + 1;
    counts.set(key, occurrence);
    if (status >= 300) continue;
    const [main] = resource.split('/');
    const change = own.find(
      (one) =>
        !used.has(one) &&
        one.ref.resource === main &&
        (one.ref.object === object || object.endsWith('/')) &&
        one.atMs <= atMs,
    );
    if (change === undefined) continue;
    used.add(change);
    const at = { verb: verb as RequestPoint['verb'], resource, object: name, occurrence };
    writes.push({ process, at });
  }
  return writes;
}

/** The point of a change. */
export function pointOf({ ref, type, occurrence }: Change): ChangePoint {
  const { resource, object } = ref;
  return { resource, object: withoutUids(object), change: type, occurrence };
}
