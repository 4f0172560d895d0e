import {
  EmbeddedKeyValueStore,
  type LoadOptions,
  type StoreSnapshotOptions,
} from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import type { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { describeKeyValue, describeMessage, WatchReader } from './embedded-store-harness.ts';

const EVERYTHING = { key: '', rangeEnd: '\u{10ffff}' } as const;

/** All bytes of a snapshot. */
export async function snapshotOf(
  store: EmbeddedKeyValueStore,
  runtime: VirtualRuntime,
  options: StoreSnapshotOptions = {},
): Promise<Buffer> {
  return await runtime.run(async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.snapshot(options)) chunks.push(chunk);
    return Buffer.concat(chunks);
  });
}

export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

export async function loadFrom(
  bytes: Uint8Array,
  runtime: VirtualRuntime,
  options: LoadOptions = {},
): Promise<EmbeddedKeyValueStore> {
  return await EmbeddedKeyValueStore.load(inPieces(bytes, 100), { runtime, ...options });
}

/** Everything a client can learn of a store: its state at every revision, and what a watch from there brings. */
export async function everythingOf(
  store: KeyValueStore,
  runtime: VirtualRuntime,
): Promise<string[]> {
  const { revision, compactedRevision } = await store.status();
  const lines = [`at ${revision}, compacted at ${compactedRevision}`];
  for (let at = compactedRevision > 1n ? compactedRevision - 1n : 1n; at <= revision; at += 1n) {
    lines.push(`state ${at}: ${await stateAt(store, at)}`);
    for (const previous of [false, true]) {
      const watch = await store.watch({ ...EVERYTHING, startRevision: at, previous });
      lines.push(`watch ${at}: ${await eventsOf(new WatchReader(watch, runtime))}`);
      watch.destroy();
    }
  }
  return lines;
}

async function stateAt(store: KeyValueStore, revision: bigint): Promise<string> {
  try {
    const { items, count } = await store.range({ ...EVERYTHING, revision });
    const notified = items.map((kv) => {
      return `${describeKeyValue(kv)} (${kv.createRevision}, ${kv.version}, ${kv.lease})`;
    });
    return `${count}: ${notified.join(' ')}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function eventsOf(reader: WatchReader): Promise<string> {
  const lines: string[] = [];
  try {
    for (;;) {
      const batch = await reader.batch();
      if (!Array.isArray(batch)) return lines.join(' ');
      for (const message of batch) {
        lines.push(describeMessage(message));
        if (message.type !== 'event') continue;
        const { kv, previous } = message.event;
        lines.push(`(${kv.createRevision}, ${kv.version}, ${kv.lease})`);
        if (previous !== undefined) lines.push(`after ${describeKeyValue(previous)}`);
      }
    }
  } catch (error) {
    return (error as { code: string }).code;
  }
}
