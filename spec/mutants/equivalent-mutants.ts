import type { Mutant } from './mutant-choice.ts';
import { mutated } from './mutation.ts';

/** A mutant that makes no difference: no spec can kill it. */
export interface EquivalentMutant {
  readonly file: string;
  readonly operator: string;
  /** The line of the code, without the white space around it. */
  readonly line: string;
  /** That line in the mutant. */
  readonly mutant: string;
  readonly reason: string;
}

/** Found by reading the code; a mutant that a spec kills is not equivalent, and its row is removed. */
export const EQUIVALENT: readonly EquivalentMutant[] = [
  {
    file: 'lib/server/custom/conversion/converting-storage.ts',
    operator: 'boundary',
    line: 'if (missing.length > 0) {',
    mutant: 'if (missing.length >= 0) {',
    reason: 'An empty list is converted without a call of the webhook.',
  },
  {
    file: 'lib/server/custom/pattern/pattern-cursor.ts',
    operator: 'boundary',
    line: 'if (end < 0) throw badRange(this.text.slice(start));',
    mutant: 'if (end <= 0) throw badRange(this.text.slice(start));',
    reason: 'The search begins behind the backslash, so that no place is 0.',
  },
  {
    file: 'lib/server/custom/pattern/pattern-parser.ts',
    operator: 'number',
    line: '#lastRepeat = -1;',
    mutant: '#lastRepeat = -2;',
    reason: 'Every negative number says that there was no repetition.',
  },
  {
    file: 'lib/server/custom/schema/validate-value.ts',
    operator: 'exit',
    line: 'if (into.isFull) return;',
    mutant: 'if (into.isFull) ;',
    reason: 'Findings that are full take no more; the exit saves time.',
  },
  {
    file: 'lib/kinds/kind-types.ts',
    operator: 'statement',
    line: 'this.#read.set(name, type);',
    mutant: ';',
    reason: 'A cache: without it the same type is made again.',
  },
  {
    file: 'lib/kinds/flowcontrol/flow-schemas.ts',
    operator: 'boundary',
    line: "if (queues <= 0) wrong('queues', queues, POSITIVE);",
    mutant: "if (queues < 0) wrong('queues', queues, POSITIVE);",
    reason: '0 queues have got the default of 64 before.',
  },
  {
    file: 'lib/server/storage/reads/list-objects.ts',
    operator: 'boundary',
    line: 'return { startKey, revision: revision < 0n ? undefined : revision, notOlderThan: 0n };',
    mutant:
      'return { startKey, revision: revision <= 0n ? undefined : revision, notOlderThan: 0n };',
    reason: 'A token with the revision 0 is refused before.',
  },
  {
    file: 'lib/server/mvcc/counted-tree.ts',
    operator: 'boolean',
    line: 'if (index > 0 && (keys[index - 1] as string) >= end) return false;',
    mutant: 'if (index > 0 && (keys[index - 1] as string) >= end) return true;',
    reason: 'The node above compares its own next key, which is not before the end either.',
  },
  {
    file: 'lib/server/mvcc/key-history.ts',
    operator: 'boundary',
    line: 'for (const pin of pins) if (pin < revision) seen.add(this.#newestUpTo(pin));',
    mutant: 'for (const pin of pins) if (pin <= revision) seen.add(this.#newestUpTo(pin));',
    reason: 'What is seen at the revision itself is in the set from the start.',
  },
  {
    file: 'lib/kinds/services/cluster-addresses.ts',
    operator: 'exit',
    line: 'if (count <= 0) continue;',
    mutant: 'if (count <= 0) ;',
    reason: 'There is no address to try; the exit saves a random number.',
  },
  {
    file: 'lib/server/mvcc/multi-version-map.ts',
    operator: 'boundary',
    line: 'return this.#compacted === 0n || first <= this.#compacted ? this.#compacted : first;',
    mutant: 'return this.#compacted === 0n || first < this.#compacted ? this.#compacted : first;',
    reason: 'Where both are equal, either is the answer.',
  },
  {
    file: 'lib/server/registry/rules/body-faults.ts',
    operator: 'equality',
    line: '} else if (byte === COLON) members += 1;',
    mutant: '} else if (byte !== COLON) members += 1;',
    reason: 'The counts differ for every text then, and the scan finds what is to be found.',
  },
  {
    file: 'lib/server/registry/rules/body-faults.ts',
    operator: 'exit',
    line: 'if (shapeOf(text).members === membersOfValue(value)) return [];',
    mutant: 'if (shapeOf(text).members === membersOfValue(value)) ;',
    reason: 'The scan of a text without repetitions finds none; the exit saves time.',
  },
  {
    file: 'lib/server/mvcc/multi-version-map.ts',
    operator: 'arithmetic',
    line: 'if (this.#revision - past > BigInt(now) || this.#open !== undefined) {',
    mutant: 'if (this.#revision + past > BigInt(now) || this.#open !== undefined) {',
    reason: 'Both ways count the same; the test chooses the shorter one.',
  },
  {
    file: 'lib/server/mvcc/multi-version-map.ts',
    operator: 'boundary',
    line: 'if (this.#revision - past > BigInt(now) || this.#open !== undefined) {',
    mutant: 'if (this.#revision - past >= BigInt(now) || this.#open !== undefined) {',
    reason: 'Both ways count the same; the test chooses the shorter one.',
  },
  {
    file: 'lib/server/mvcc/snapshot-frames.ts',
    operator: 'number',
    line: 'this.#bytes.copy(larger, 0, 0, offset);',
    mutant: 'this.#bytes.copy(larger, 0, 1, offset);',
    reason:
      'Only the first record of a frame can be too long, and before it is only the head, which is written last.',
  },
  {
    file: 'lib/server/mvcc/watcher.ts',
    operator: 'number',
    line: 'for (let done = 0; done < CATCH_UP_REVISIONS && messages.length < CATCH_UP_EVENTS; done += 1) {',
    mutant:
      'for (let done = 1; done < CATCH_UP_REVISIONS && messages.length < CATCH_UP_EVENTS; done += 1) {',
    reason: 'A step reads one revision less, which the next step reads.',
  },
  {
    file: 'lib/server/mvcc/watcher.ts',
    operator: 'statement',
    line: 'this.#wake = undefined;',
    mutant: ';',
    reason: 'A promise that is settled ignores a second call.',
  },
  {
    file: 'lib/server/registry/validation/quantity-checks.ts',
    operator: 'number',
    line: 'return difference < 0n ? -1 : difference > 0n ? 1 : 0;',
    mutant: 'return difference < 0n ? -1 : difference > 0n ? 2 : 0;',
    reason: 'Only the sign of the answer counts.',
  },
  {
    file: 'lib/server/registry/managed-fields/field-manager.ts',
    operator: 'equality',
    line: '? given === undefined && before !== undefined',
    mutant: '? given === undefined && before === undefined',
    reason: 'Entries as an API server has written them are the same when they are encoded again.',
  },
  {
    file: 'lib/kinds/bootstrap/bootstrap-policy.ts',
    operator: 'number',
    line: '...(slash < 0 ? {} : { namespace: path.slice(0, slash) }),',
    mutant: '...(slash < 1 ? {} : { namespace: path.slice(0, slash) }),',
    reason: 'No path begins with a slash.',
  },
  {
    file: 'lib/kinds/batch/cron-schedule.ts',
    operator: 'number',
    line: 'const place = names?.indexOf(text.toLowerCase()) ?? -1;',
    mutant: 'const place = names?.indexOf(text.toLowerCase()) ?? -2;',
    reason: 'Every negative place says that there is no such name.',
  },
  {
    file: 'lib/kinds/batch/cron-schedule.ts',
    operator: 'boundary',
    line: "const isLong = text.length > 18 && BigInt(text.replace('+', '')) >= LARGEST_INT64;",
    mutant: "const isLong = text.length >= 18 && BigInt(text.replace('+', '')) >= LARGEST_INT64;",
    reason: 'A number of 18 digits is below the limit, which the second test says, too.',
  },
  {
    file: 'lib/kinds/services/ip-families.ts',
    operator: 'statement',
    line: "if (CONFIGURED.includes(family)) spec['ipFamilies'] = [...families, family];",
    mutant: 'if (CONFIGURED.includes(family)) ;',
    reason: 'One family is configured, which is added later where there is none.',
  },
  {
    file: 'lib/kinds/services/service-allocation.ts',
    operator: 'statement',
    line: 'if (!dryRun) await this.#release({ ...NOTHING, addresses });',
    mutant: 'if (!dryRun) ;',
    reason: 'One family is configured, so that no address comes before the one that fails.',
  },
  {
    file: 'lib/server/custom/custom-resources.ts',
    operator: 'boolean',
    line: 'let changed = false;',
    mutant: 'let changed = true;',
    reason: 'The update calls back before it ends.',
  },
  {
    file: 'lib/server/registry/writes/update-object.ts',
    operator: 'boolean',
    line: 'created = false;',
    mutant: 'created = true;',
    reason: 'Each try says it before it is read.',
  },
  {
    file: 'lib/server/registry/managed-fields/field-updater.ts',
    operator: 'boundary',
    line: '.toSorted(([one], [other]) => (one < other ? -1 : 1))',
    mutant: '.toSorted(([one], [other]) => (one <= other ? -1 : 1))',
    reason: 'They are the keys of a map, which are all different.',
  },
  {
    file: 'lib/server/registry/rules/body-faults.ts',
    operator: 'equality',
    line: 'else if (byte === POINT || byte === LARGE_E) hasFractions = true;',
    mutant: 'else if (byte !== POINT || byte === LARGE_E) hasFractions = true;',
    reason: 'The scan of a text without such numbers finds none; the test saves time.',
  },
  {
    file: 'lib/server/custom/schema/validate-value.ts',
    operator: 'boundary',
    line: 'if (properties.size > 0) {',
    mutant: 'if (properties.size >= 0) {',
    reason: 'Without properties there is nothing to do for each name; the test saves time.',
  },
  {
    file: 'lib/server/registry/contract/strategy.ts',
    operator: 'statement',
    line: "if (managedFields === undefined) delete object.metadata['managedFields'];",
    mutant: 'if (managedFields === undefined) ;',
    reason: 'A member that is undefined is not written.',
  },
  {
    file: 'lib/kinds/services/ip-families.ts',
    operator: 'boundary',
    line: 'if (after.length > 1 && sameTexts(after, before)) spec[field] = after.slice(0, 1);',
    mutant: 'if (after.length >= 1 && sameTexts(after, before)) spec[field] = after.slice(0, 1);',
    reason: 'The first of one is the same list.',
  },
  {
    file: 'lib/server/registry/managed-fields/field-manager.ts',
    operator: 'statement',
    line: 'entries.clear();',
    mutant: ';',
    reason: 'What the refused attempt left has the very fields that are applied then.',
  },
  {
    file: 'lib/cache/delta/incoming-relist.ts',
    operator: 'boundary',
    line: 'if (this.#unreadable.size > 0) this.#unreadable.delete(key);',
    mutant: 'if (this.#unreadable.size >= 0) this.#unreadable.delete(key);',
    reason: 'An empty set has nothing to delete; the test saves the look-up.',
  },
  {
    file: 'lib/cache/delta/key-queue.ts',
    operator: 'exit',
    line: 'if (key === undefined) return;',
    mutant: 'if (key === undefined) ;',
    reason: 'Nothing is queued under no key.',
  },
  {
    file: 'lib/cache/informer/factory/wait-for-cache-sync.ts',
    operator: 'boundary',
    line: 'missing: missing.toSorted((left, right) => (left.name < right.name ? -1 : 1)),',
    mutant: 'missing: missing.toSorted((left, right) => (left.name <= right.name ? -1 : 1)),',
    reason: 'Two of one name have no order.',
  },
  {
    file: 'lib/cache/informer/handlers/resync-schedule.ts',
    operator: 'boundary',
    line: 'if (wantedMs > 0 && wantedMs < this.#checkIntervalMs && !this.#frozen) {',
    mutant: 'if (wantedMs > 0 && wantedMs <= this.#checkIntervalMs && !this.#frozen) {',
    reason: 'An interval takes the place of an equal one.',
  },
  {
    file: 'lib/cache/store/thread-safe-store.ts',
    operator: 'boundary',
    line: 'for (let position = 0; position < definitions.length; position += 1) {',
    mutant: 'for (let position = 0; position <= definitions.length; position += 1) {',
    reason: 'There is no definition behind the last, so none of the name.',
  },
  {
    file: 'lib/controller/workqueue/work-queue.ts',
    operator: 'arithmetic',
    line: 'this.#room = Math.max(this.#room, this.#wanted + SPARE);',
    mutant: 'this.#room = Math.max(this.#room, this.#wanted - SPARE);',
    reason: 'Fewer idle keys are kept; keeping them saves time.',
  },
  {
    file: 'lib/controller/workqueue/work-queue.ts',
    operator: 'number',
    line: 'this.#waiting.note(item.slot, priorities[place] ?? 0);',
    mutant: 'this.#waiting.note(item.slot, priorities[place] ?? 1);',
    reason: 'Each item in work has a priority in the list.',
  },
  {
    file: 'lib/controller/workqueue/keys/key-table.ts',
    operator: 'boundary',
    line: 'if (known === undefined || number >= known.length) {',
    mutant: 'if (known === undefined || number > known.length) {',
    reason: 'A number behind the end is not kept, and its key is searched.',
  },
  {
    file: 'lib/client/rest/streams/logs/seen-lines.ts',
    operator: 'boundary',
    line: 'if (oldest === undefined || key < oldest) oldest = key;',
    mutant: 'if (oldest === undefined || key <= oldest) oldest = key;',
    reason: 'Of two equal times, either is the oldest.',
  },
  {
    file: 'lib/controller/election/leader-elector.ts',
    operator: 'number',
    line: 'const leftMs = leads ? Math.max(0, this.#held?.leftMs ?? 0) : undefined;',
    mutant: 'const leftMs = leads ? Math.max(0, this.#held?.leftMs ?? 1) : undefined;',
    reason: 'A replica that leads has a lease that is held.',
  },
  {
    file: 'lib/controller/election/lease-record.ts',
    operator: 'boundary',
    line: "epoch: typeof epoch === 'number' && epoch > 0 ? Math.floor(epoch) : 0,",
    mutant: "epoch: typeof epoch === 'number' && epoch >= 0 ? Math.floor(epoch) : 0,",
    reason: '0 is the epoch in both ways.',
  },
  {
    file: 'lib/kernel/data/ring-buffer.ts',
    operator: 'boundary',
    line: 'while (capacity < initialCapacity) capacity *= 2;',
    mutant: 'while (capacity <= initialCapacity) capacity *= 2;',
    reason: 'The room is larger than asked for.',
  },
  {
    file: 'lib/kernel/data/ring-buffer.ts',
    operator: 'boundary',
    line: 'if (end <= this.#slots.length) return slots;',
    mutant: 'if (end < this.#slots.length) return slots;',
    reason: 'Nothing is joined to the slots where they end with the room.',
  },
  {
    file: 'lib/controller/election/election-report.ts',
    operator: 'exit',
    line: 'if (epoch === this.#epoch) return;',
    mutant: 'if (epoch === this.#epoch) ;',
    reason: 'The gauge is set again to the value that it has.',
  },
  {
    file: 'lib/controller/builder/shared-keys.ts',
    operator: 'number',
    line: 'const left = (this.#running.get(key) ?? 1) - 1;',
    mutant: 'const left = (this.#running.get(key) ?? 2) - 1;',
    reason: 'A key has a number while one of its runs is under way.',
  },
  {
    file: 'lib/client/transport/body/frame-splitter.ts',
    operator: 'boundary',
    line: 'if (start < bytes.length) this.#hold(bytes.subarray(start));',
    mutant: 'if (start <= bytes.length) this.#hold(bytes.subarray(start));',
    reason: 'No byte is added to those held; the test saves an empty slice.',
  },
  {
    file: 'lib/client/transport/flow/adaptive-rate.ts',
    operator: 'number',
    line: '#present: Counts = { accepted: 0, refused: 0 };',
    mutant: '#present: Counts = { accepted: 1, refused: 0 };',
    reason: 'The first answer begins a second, which sets all counts to 0.',
  },
  {
    file: 'lib/client/transport/flow/adaptive-rate.ts',
    operator: 'number',
    line: '#present: Counts = { accepted: 0, refused: 0 };',
    mutant: '#present: Counts = { accepted: 0, refused: 1 };',
    reason: 'The first answer begins a second, which sets all counts to 0.',
  },
  {
    file: 'lib/client/transport/flow/adaptive-rate.ts',
    operator: 'number',
    line: '#previous: Counts = { accepted: 0, refused: 0 };',
    mutant: '#previous: Counts = { accepted: 1, refused: 0 };',
    reason: 'The first answer begins a second, which sets all counts to 0.',
  },
  {
    file: 'lib/client/transport/flow/adaptive-rate.ts',
    operator: 'number',
    line: '#previous: Counts = { accepted: 0, refused: 0 };',
    mutant: '#previous: Counts = { accepted: 0, refused: 1 };',
    reason: 'The first answer begins a second, which sets all counts to 0.',
  },
  {
    file: 'lib/client/transport/body/frame-splitter.ts',
    operator: 'boundary',
    line: 'const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;',
    mutant:
      'const end = lineEnd >= start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;',
    reason: 'Before an empty line is a newline or no byte, and never a carriage return.',
  },
];

/** Why a mutant makes no difference, where it is listed. */
export function equivalenceOf({ file, text, mutation }: Mutant): string | undefined {
  const line = lineOf(text, mutation.line);
  const mutant = lineOf(mutated(text, mutation), mutation.line);
  const found = EQUIVALENT.find(
    (one) =>
      one.file === file &&
      one.operator === mutation.operator &&
      one.line === line &&
      one.mutant === mutant,
  );
  return found?.reason;
}

function lineOf(text: string, number: number): string {
  return text.split('\n')[number - 1]?.trim() ?? '';
}
