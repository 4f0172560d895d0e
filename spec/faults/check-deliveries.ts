import type { Deliveries, Delivery } from './contestants/contestant.ts';
import type { TrueChange } from './world/server-history.ts';

/** Where in the history changes may have been merged: the informer was cut off, and could only list what had become of them. */
export interface Gap {
  /** Index of the first such change. */
  readonly from: number;
  /** Index of the first change after it. */
  readonly to: number;
}

export interface Findings {
  /** Changes outside the gap without a notification. */
  readonly lost: readonly string[];
  /** Notified more than once. */
  readonly repeated: readonly string[];
  /** Notified after something later, or out of turn: an update of what is not there. */
  readonly disordered: readonly string[];
  /** Notified, but never happened. */
  readonly invented: readonly string[];
}

interface Placed extends TrueChange {
  readonly index: number;
}

/**
 * Compares the notifications of handlers with the changes, key by key: they have to be a part of these, in the same order, with nothing
 * left out but in the gap.
 */
export function checkDeliveries(
  all: readonly Deliveries[],
  history: readonly TrueChange[],
  gap: Gap,
): Findings {
  const found = { lost: [], repeated: [], disordered: [], invented: [] };
  const truth = groupByKey(history.map((change, index) => ({ ...change, index })));
  for (const { handler, notified } of all) {
    const byKey = groupByKey(notified);
    for (const key of new Set([...truth.keys(), ...byKey.keys()])) {
      checkKey(handler, byKey.get(key) ?? [], truth.get(key) ?? [], gap, found);
    }
  }
  return found;
}

function checkKey(
  handler: string,
  notified: readonly Delivery[],
  happened: readonly Placed[],
  gap: Gap,
  found: { [Kind in keyof Findings]: string[] },
): void {
  let next = 0;
  let present = false;
  const skip = (to: number): void => {
    for (const change of happened.slice(next, to)) {
      const merged = change.index >= gap.from && change.index < gap.to;
      if (!merged) found.lost.push(`${handler}: ${print(change)}`);
    }
  };
  for (const delivery of notified) {
    const place = placeOf(delivery, happened, next);
    if (place !== undefined) {
      skip(place);
      next = place + 1;
    } else {
      const earlier = placeOf(delivery, happened, 0);
      if (earlier === undefined) found.invented.push(`${handler}: ${print(delivery)}`);
      else if (earlier === next - 1) found.repeated.push(`${handler}: ${print(delivery)}`);
      else found.disordered.push(`${handler}: ${print(delivery)}, after ${at(happened, next - 1)}`);
    }
    if ((delivery.type === 'add') === present) {
      found.disordered.push(`${handler}: ${print(delivery)} out of turn`);
    }
    present = delivery.type !== 'delete';
  }
  skip(happened.length);
}

/** The first change, from `from` on, that a delivery can be about. */
function placeOf(
  { type, resourceVersion }: Delivery,
  happened: readonly Placed[],
  from: number,
): number | undefined {
  const deletion = type === 'delete';
  let inexact: number | undefined;
  for (let index = from; index < happened.length; index += 1) {
    const change = happened[index]!;
    if ((change.type === 'delete') !== deletion) continue;
    if (change.resourceVersion === resourceVersion) return index;
    // A deletion that was missed is notified with the last state that was known.
    if (deletion) inexact ??= index;
  }
  return inexact;
}

function groupByKey<C extends { readonly key: string }>(changes: readonly C[]): Map<string, C[]> {
  const groups = new Map<string, C[]>();
  for (const change of changes) {
    const group = groups.get(change.key);
    if (group === undefined) groups.set(change.key, [change]);
    else group.push(change);
  }
  return groups;
}

function at(happened: readonly Placed[], index: number): string {
  const change = happened[index];
  return change === undefined ? 'nothing' : print(change);
}

function print({ type, key, resourceVersion }: Delivery): string {
  return `${type} ${key}@${resourceVersion}`;
}
