import type { Revision } from './contract/key-value-store.ts';
import type { LeaseRecord } from './lease-table.ts';
import type { MultiVersionMap } from './multi-version-map.ts';
import { FRAME, FrameReader, type Frame } from './snapshot-frames.ts';
import {
  readCounts,
  readEvents,
  readHead,
  readKeyValues,
  readLeases,
  type EventRecord,
  type SnapshotCounts,
  type SnapshotHead,
} from './snapshot-records.ts';

/**
 * Reads a snapshot frame by frame into an empty state, and returns the leases. It holds one frame in memory in addition.
 * `name` names the snapshot in errors.
 * @throws {ListwatchError} SNAPSHOT_INVALID, with what is wrong and where.
 */
export async function readSnapshot(
  name: string,
  source: AsyncIterable<Uint8Array>,
  state: MultiVersionMap,
): Promise<readonly LeaseRecord[]> {
  const frames = new FrameReader(name, source);
  try {
    await frames.readPreamble();
    const loading = new Loading(headOf(frames, await frames.next()), frames, state);
    for (;;) {
      const frame = await frames.next();
      if (frame.kind === FRAME.end) {
        const leases = loading.finish(frame.payload);
        await frames.finish();
        return leases;
      }
      loading.take(frame);
    }
  } finally {
    await frames.close();
  }
}

function headOf(frames: FrameReader, { kind, payload }: Frame): SnapshotHead {
  const head = kind === FRAME.head ? readHead(payload) : undefined;
  if (head === undefined) throw frames.malformed('there is no head');
  const { revision, base, compactedRevision } = head;
  if (base < 1n || base > revision || compactedRevision > base) {
    throw frames.malformed('the revisions in the head contradict each other');
  }
  return head;
}

/** A state while it is loaded, from the base of a snapshot to its revision. */
class Loading {
  readonly #head: SnapshotHead;
  readonly #frames: FrameReader;
  readonly #state: MultiVersionMap;
  readonly #leases: LeaseRecord[] = [];
  readonly #counts: SnapshotCounts = { keyValues: 0, events: 0, leases: 0 };
  /** The events of the base revision itself; the key-values contain them already. */
  #atBase: EventRecord[] = [];
  #open: Revision;

  constructor(head: SnapshotHead, frames: FrameReader, state: MultiVersionMap) {
    this.#head = head;
    this.#frames = frames;
    this.#state = state;
    if (head.base > state.revision) state.skipTo(head.base);
    this.#open = head.base;
  }

  take({ kind, payload }: Frame): void {
    this.#checked(() => {
      this.#read(kind, payload);
    });
  }

  finish(payload: Buffer): readonly LeaseRecord[] {
    this.#checked(() => {
      this.#closeRevision();
      this.#check(payload);
    });
    const { compactedRevision } = this.#head;
    if (compactedRevision > this.#state.compactedRevision) this.#state.compact(compactedRevision);
    return this.#leases;
  }

  /** Records with correct checksums may still contradict each other; the RangeError has the reason. */
  #checked(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof RangeError) throw this.#frames.malformed(error.message);
      throw error;
    }
  }

  #check(payload: Buffer): void {
    const { revision } = this.#head;
    if (this.#state.revision !== revision) {
      throw new RangeError(`its events end at revision ${this.#state.revision}, not ${revision}`);
    }
    const said = readCounts(payload);
    const { keyValues, events, leases } = this.#counts;
    if (said?.keyValues !== keyValues || said.events !== events || said.leases !== leases) {
      throw new RangeError('its counts differ from the number of records');
    }
  }

  #read(kind: number, payload: Buffer): void {
    switch (kind) {
      case FRAME.leases:
        for (const lease of readLeases(payload)) this.#leases.push(lease);
        this.#counts.leases = this.#leases.length;
        return;
      case FRAME.keyValues:
        this.#counts.keyValues += readKeyValues(payload, (kv) => {
          if (kv.modRevision > this.#head.base)
            throw new RangeError('a key has a revision after the base');
          this.#state.restore(kv);
        });
        return;
      case FRAME.events:
        this.#counts.events += readEvents(payload, (event) => {
          this.#replay(event);
        });
        return;
      default:
        throw new RangeError(`it is of the unknown kind ${kind}`);
    }
  }

  #replay(event: EventRecord): void {
    const { revision } = event;
    if (revision === this.#head.base && this.#open === revision) {
      this.#atBase.push(event);
      return;
    }
    if (revision !== this.#open) {
      this.#closeRevision();
      this.#open += 1n;
      if (revision !== this.#open) {
        throw new RangeError(`there are events of revision ${revision}, not of ${this.#open}`);
      }
    }
    if (event.type === 'delete') this.#state.delete(event.key);
    else this.#state.put(event.key, event.value, event.lease);
  }

  #closeRevision(): void {
    if (this.#open > this.#head.base) {
      this.#state.commit();
    } else if (this.#atBase.length > 0) {
      this.#state.restoreBase(this.#atBase);
      this.#atBase = [];
    }
  }
}
