import { nextTask } from '../../kernel/time/wait.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Revision } from './contract/key-value-store.ts';
import type { LeaseRecord } from './lease-table.ts';
import type { MultiVersionMap } from './multi-version-map.ts';
import type { RevisionEvents } from './revision-log.ts';
import { FRAME, FrameWriter, preamble, type FrameKind } from './snapshot-frames.ts';
import {
  eventSize,
  keyValueSize,
  writeCounts,
  writeEvent,
  writeHead,
  writeKeyValue,
  writeLease,
  type SnapshotCounts,
} from './snapshot-records.ts';

export interface SnapshotWriterOptions {
  readonly runtime: Runtime;
  readonly state: MultiVersionMap;
  readonly leases: readonly LeaseRecord[];
  readonly history: boolean;
  /** Called before each step; throws to stop the writer. */
  readonly check: () => void;
}

/** Number of keys visited in one task. */
const KEYS_AT_A_TIME = 5000;

/**
 * The frames of a snapshot: the state at one revision. Each frame is made when it is read, while the store continues.
 *
 * The constructor fixes the content: it pins the revision, and with `history` it copies the past events, until `release`.
 * Beyond that it holds one frame.
 */
export class SnapshotWriter {
  readonly revision: Revision;
  readonly counts: SnapshotCounts = { keyValues: 0, events: 0, leases: 0 };
  readonly #options: SnapshotWriterOptions;
  readonly #base: Revision;
  readonly #compacted: Revision;
  readonly #events: readonly (readonly (RevisionEvents | undefined)[])[];
  readonly #unpin: () => void;

  constructor(options: SnapshotWriterOptions) {
    const { state, history } = options;
    this.#options = options;
    this.revision = state.revision;
    this.#base = history ? state.oldestReadable : state.revision;
    // A store without a write has no past that could be missing.
    this.#compacted = history || this.revision === 1n ? state.compactedRevision : state.revision;
    this.#events = history ? state.copyEvents() : [];
    this.#unpin = state.pin(this.#base);
  }

  release(): void {
    this.#unpin();
  }

  async *frames(): AsyncGenerator<Uint8Array, void, undefined> {
    yield preamble();
    yield this.#single(FRAME.head, (frame) => {
      const { revision } = this;
      writeHead(frame, { revision, base: this.#base, compactedRevision: this.#compacted });
    });
    yield* this.#leases();
    yield* this.#keyValues();
    yield* this.#pastEvents();
    yield this.#single(FRAME.end, (frame) => {
      writeCounts(frame, this.counts);
    });
  }

  #single(kind: FrameKind, write: (frame: FrameWriter) => void): Uint8Array {
    const frame = new FrameWriter(kind);
    write(frame);
    return frame.finish();
  }

  *#leases(): Generator<Uint8Array> {
    let frame = new FrameWriter(FRAME.leases);
    for (const lease of this.#options.leases) {
      if (!frame.hasRoom(24)) {
        yield frame.finish();
        frame = new FrameWriter(FRAME.leases);
      }
      writeLease(frame, lease);
      this.counts.leases += 1;
    }
    if (!frame.isEmpty) yield frame.finish();
  }

  async *#keyValues(): AsyncGenerator<Uint8Array> {
    const { state } = this.#options;
    let frame = new FrameWriter(FRAME.keyValues);
    let start: string | undefined = '';
    while (start !== undefined) {
      await this.#turn();
      let full = false;
      start = state.visitFrom(start, this.#base, KEYS_AT_A_TIME, (kv) => {
        const size = keyValueSize(kv);
        full = !frame.hasRoom(size);
        if (full) return false;
        writeKeyValue(frame, kv, size);
        this.counts.keyValues += 1;
        return true;
      });
      if (!full) continue;
      yield frame.finish();
      frame = new FrameWriter(FRAME.keyValues);
    }
    if (!frame.isEmpty) yield frame.finish();
  }

  async *#pastEvents(): AsyncGenerator<Uint8Array> {
    let frame = new FrameWriter(FRAME.events);
    for (const segment of this.#events) {
      for (const events of segment) {
        for (const { event } of events ?? []) {
          if (event.kv.modRevision < this.#base) continue;
          const size = eventSize(event);
          if (!frame.hasRoom(size)) {
            yield frame.finish();
            await this.#turn();
            frame = new FrameWriter(FRAME.events);
          }
          writeEvent(frame, event, size);
          this.counts.events += 1;
        }
      }
    }
    if (!frame.isEmpty) yield frame.finish();
  }

  /** Lets other tasks run. */
  async #turn(): Promise<void> {
    await nextTask(this.#options.runtime);
    this.#options.check();
  }
}
