import type { ObjectView } from '../../meta/object-view.ts';
import { Demand } from './demand.ts';
import { keptViewOf, type CacheKeeper, type CacheMemory } from './cache-keeper.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { releasedHeld } from './held-source.ts';
import { RecentMetadata } from './recent-metadata.ts';
import { RecordCodec } from './record-codec.ts';
import { SlabArena } from './slab-arena.ts';
import { noteRead } from './record.ts';

/** Keeps bytes, and of the decoded objects those that are read again and again, within a budget. */
export class BytesKeeper implements CacheKeeper {
  readonly demand: Demand = new Demand();
  readonly #metadata = new RecentMetadata();
  readonly #decoded: DecodedObjects;
  readonly #arena: SlabArena;

  constructor(decodedBytes: number) {
    const decoded = new DecodedObjects(decodedBytes);
    this.#decoded = decoded;
    const metadata = this.#metadata;
    this.#arena = new SlabArena({
      codec: new RecordCodec({
        metadata,
        known: (view) => decoded.get(view),
        decoded: (view, object) => {
          decoded.add(view, object, noteRead(view));
        },
      }),
      releasedCodec: new RecordCodec({
        metadata,
        decoded: (view, object) => {
          releasedHeld.take(view, object);
        },
      }),
      onGone: ({ released }) => {
        this.#metadata.letGo(released);
      },
    });
  }

  keep(object: ObjectView): void {
    const view = keptViewOf(object);
    if (view === undefined || this.#arena.has(view)) return;
    // It has left, decoded, and comes back: its bytes are gone, and it holds its object for good.
    if (view.source === releasedHeld) return;
    const { held, json } = view;
    this.#arena.put(view, json, view.places);
    if (held === undefined) return;
    view.hold(undefined);
    this.#decoded.add(view, held, false);
  }

  release(object: ObjectView, why: 'left' | 'unused'): void {
    const view = keptViewOf(object);
    if (view === undefined || !this.#arena.has(view)) return;
    this.#decoded.release(view);
    if (view.held === undefined) {
      this.#arena.release(view, why === 'unused' ? 'body' : this.demand.readable);
      return;
    }
    // Whoever has the view has the object; the bytes are not needed besides.
    this.#arena.take(view);
    releasedHeld.take(view, view.held);
  }

  hold(): () => void {
    return this.demand.begin('body');
  }

  inspect(): CacheMemory {
    const { liveBytes, slabBytes } = this.#arena;
    return { mode: 'bytes', liveBytes, slabBytes, decodedBytes: this.#decoded.bytes };
  }

  close(): void {
    this.#decoded.clear();
    this.#metadata.clear();
    this.#arena.trim();
  }
}
