/** A bug that is put into a copy of the code to see whether the soak finds it. */
export interface Mutant {
  readonly name: string;
  /** The bug in it. */
  readonly bug: string;
  /** Path below `lib`. */
  readonly file: string;
  /** Text that occurs there once. */
  readonly from: string;
  readonly to: string;
}

const FANOUT = 'cache/informer/handlers/handler-registry.ts';
const PROCESSOR = 'cache/collection/delta-processor.ts';
const RELIST = 'cache/collection/relist-changes.ts';
const QUEUE = 'cache/informer/handlers/handler-queue.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'event-lost',
    bug: 'a batch of exactly seven changes reaches no handler',
    file: FANOUT,
    from: "if (batch.audience === 'all' || resync.due) queue.push(batch);",
    to: "if ((batch.audience === 'all' || resync.due) && batch.notifications.length !== 7) queue.push(batch);",
  },
  {
    name: 'event-twice',
    bug: 'a batch of exactly five changes is notified twice',
    file: QUEUE,
    from: 'this.#batches.push(batch);\n    this.#queued += length;',
    to: 'for (let times = length === 5 && !batch.initial ? 2 : 1; times > 0; times -= 1) {\n      this.#batches.push(batch);\n      this.#queued += length;\n    }',
  },
  {
    name: 'resync-for-all',
    bug: 'resyncs go to handlers that want none',
    file: FANOUT,
    from: "if (batch.audience === 'all' || resync.due) queue.push(batch);",
    to: 'if (resync !== undefined) queue.push(batch);',
  },
  {
    name: 'relist-without-deletions',
    bug: 'what a relist lacks leaves the cache without a word',
    file: RELIST,
    from: 'this.#transaction.delete(key);\n    this.#deletions.push(lastSeen(key, old));',
    to: 'this.#transaction.delete(key);',
  },
  {
    name: 'relist-deletes-nothing',
    bug: 'what a relist lacks stays in the cache',
    file: RELIST,
    from: 'this.#transaction.delete(key);\n    this.#deletions.push(lastSeen(key, old));',
    to: '',
  },
  {
    name: 'unreadable-deleted',
    bug: 'what a relist shows but cannot be read counts as gone',
    file: RELIST,
    from: 'if (unreadable.has(key)) {',
    to: 'if (unreadable.has(key) && key === resourceVersion) {',
  },
  {
    name: 'recreated-as-update',
    bug: 'another object of the same name is notified as an update',
    file: RELIST,
    from: 'return before !== undefined && after !== undefined && before !== after;',
    to: 'return before !== undefined && after !== undefined && before === `${after}!`;',
  },
  {
    name: 'unchanged-notified',
    bug: 'a relist notifies of unchanged objects',
    file: 'cache/collection/stored-objects.ts',
    from: 'return resourceVersion === after.resourceVersion && before.uid === after.uid;',
    to: 'return false;',
  },
  {
    name: 'always-initial',
    bug: 'every addition calls itself initial',
    file: PROCESSOR,
    from: 'new AddNotification(key, object, this.#initial, origin)',
    to: 'new AddNotification(key, object, true, origin)',
  },
  {
    name: 'tombstones-missing',
    bug: 'in the order of keys a relist deletes nothing that is not queued',
    file: 'cache/delta/key-queue.ts',
    from: 'if (!isGone(key) || this.#deltas.has(key)) continue;',
    to: 'if (isGone(key) || !isGone(key)) continue;',
  },
  {
    name: 'synced-early',
    bug: 'a handler is synced before it has seen its initial additions',
    file: 'cache/informer/handlers/handler-queue.ts',
    from: 'if (this.#upstreamSynced && this.#outstanding === 0) this.#latch.open();',
    to: 'if (this.#upstreamSynced) this.#latch.open();',
  },
  {
    name: 'late-join-stale',
    bug: 'a late handler is given the state of the one before',
    file: 'cache/informer/handlers/handler-registry.ts',
    from: 'if (batches.length === 0) return;\n    this.#present = undefined;',
    to: 'if (batches.length === 0) return;',
  },
  {
    name: 'called-after-removal',
    bug: 'a handler that was removed gets what was queued',
    file: QUEUE,
    from: 'this.#closed = true;\n    this.#closedWithin ||= this.#entered;\n    this.#batches.clear();\n    this.#current = undefined;\n    this.#queued = 0;',
    to: 'this.#closedWithin ||= this.#entered;',
  },
  {
    name: 'merge-forgets-old',
    bug: 'a merged update starts from a state that the handler never saw',
    file: 'cache/informer/handlers/coalesce.ts',
    from: "const old = before.type === 'update' ? before.old : after.old;",
    to: 'const { old } = after;',
  },
  {
    name: 'merge-forgets-deletion',
    bug: 'of an object that went and came back the handler is notified only of the addition',
    file: 'cache/informer/handlers/coalesce.ts',
    from: 'if (gone !== undefined) merged.push(gone);',
    to: 'if (gone !== undefined && present === undefined) merged.push(gone);',
  },
  {
    name: 'index-keeps-old-values',
    bug: 'an object is still found under the index values it had',
    file: 'cache/store/inverted-index.ts',
    from: 'if (!isPartOf(after, before)) this.#take(entry, before);',
    to: 'if (after === NOWHERE) this.#take(entry, before);',
  },
  {
    name: 'stale-events-pass',
    bug: 'an event that is older than what was seen is applied',
    file: 'cache/reflector/watch/stream-order.ts',
    from: 'if (version !== this.#newest || this.#latest === undefined) return false;',
    to: 'if (version !== this.#newest || this.#latest === undefined) return true;',
  },
  {
    name: 'resumes-older',
    bug: 'one version in ten is not remembered',
    file: 'cache/reflector/table/watch-step.ts',
    from: "resourceVersion !== '' && resourceVersion !== seen && !isOlder(resourceVersion, seen);",
    to: "resourceVersion !== '' && !resourceVersion.endsWith('7') && !isOlder(resourceVersion, seen);",
  },
  {
    name: 'gap-not-listed',
    bug: 'after a 410 the watch starts from now, without a list',
    file: 'cache/reflector/table/watch-step.ts',
    from: 'return backOff(startRound({ ...memory, expiredLists }), retryAfterMs, reason, ...effects);',
    to: "return backOff(startWatch({ ...memory, expiredLists, resourceVersion: '' }), retryAfterMs, reason, ...effects);",
  },
  {
    name: 'last-page-only',
    bug: 'of a list in pages only the last one counts',
    file: 'cache/reflector/list/sink-relist.ts',
    from: 'this.#begun().add(items);',
    to: 'this.discard();\n    this.#begun().add(items);',
  },
  {
    name: 'no-back-off',
    bug: 'what failed is asked for again at once',
    file: 'cache/reflector/reflector.ts',
    from: "if (state.name === 'backing-off') this.#waitMs = this.#pace.next(state);",
    to: "if (state.name === 'backing-off') this.#pace.next(state);",
  },
  {
    name: 'timer-left',
    bug: 'a watch that ended leaves its deadline behind',
    file: 'cache/reflector/watch/watch-reader.ts',
    from: 'this.#failure = { error };\n    this.#deadline.cancel();',
    to: 'this.#failure = { error };',
  },
  {
    name: 'slot-not-vacated',
    bug: 'what has left a cache is read where something else lies now',
    file: 'cache/memory/slabs/slab.ts',
    from: 'view.moveTo(source, start - slotStart);',
    to: "view.moveTo(readable === 'body' ? this.released : source, readable === 'body' ? start : start - slotStart);",
  },
  {
    name: 'body-gone',
    bug: 'what has left a cache has lost its body, for all readers',
    file: 'cache/memory/slab-memory.ts',
    from: "this.#arena.release(view, why === 'unused' ? 'body' : this.#retention.readable);",
    to: "this.#arena.release(view, why === 'unused' ? 'body' : 'metadata');",
  },
];
