import type { Finding } from '../contract/finding.ts';
import type { ClusterHistory } from '../record/cluster-history.ts';
import {
  canonicalState,
  type CanonicalObject,
  type CanonicalState,
  type Lives,
} from './canonical-state.ts';

/** How an object differs from what it should be. */
interface StateDifference {
  /** One sentence. */
  readonly message: string;
  /** The same without values, for what many differences have in common. */
  readonly difference: string;
}

const MOST_FIELDS = 3;

/** Undefined: it does not differ, besides the fields that are masked. */
export function stateDifference(
  expected: CanonicalObject | undefined,
  found: CanonicalObject | undefined,
  masked: ReadonlySet<string> | undefined,
): StateDifference | undefined {
  if (expected === undefined && found === undefined) return undefined;
  if (expected === undefined) {
    return { message: 'it exists at the end; without faults it does not', difference: 'exists' };
  }
  if (found === undefined) {
    return {
      message: 'it does not exist at the end; without faults it does',
      difference: 'missing',
    };
  }
  /** By what they are of, without values. */
  const texts = new Map<string, string>();
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    if (masked?.has(path) === true || expected.get(path) === found.get(path)) continue;
    const list = reorderedList(path, expected, found);
    const [is, should] = [found.get(path) ?? 'absent', expected.get(path) ?? 'absent'];
    if (list === undefined) texts.set(path, `${path} is ${is}, without faults ${should}`);
    else texts.set(`${list} in another order`, `${list} has the same elements in another order`);
  }
  if (texts.size === 0) return undefined;
  const more = texts.size > MOST_FIELDS ? `, and ${texts.size - MOST_FIELDS} more fields` : '';
  const message = [...texts.values()].slice(0, MOST_FIELDS).join('; ') + more;
  const fields = new Set([...texts.keys()].map((path) => path.replaceAll(/\[\d+\]/g, '[]')));
  return { message, difference: [...fields].toSorted().join(', ') };
}

/** The list in which a path is, if it only has another order. */
function reorderedList(
  path: string,
  expected: CanonicalObject,
  found: CanonicalObject,
): string | undefined {
  for (const { index } of path.matchAll(/\[\d+\]/g)) {
    const list = path.slice(0, index);
    if (elementsOf(expected, list) === elementsOf(found, list)) return list;
  }
  return undefined;
}

/** The elements of a list as one text that does not depend on their order. */
function elementsOf(object: CanonicalObject, list: string): string {
  const elements = new Map<string, string[]>();
  for (const [path, text] of object) {
    if (!path.startsWith(`${list}[`)) continue;
    const [number = '', ...rest] = path.slice(list.length + 1).split(']');
    const fields = elements.get(number) ?? [];
    elements.set(number, fields);
    fields.push(`${rest.join(']')} ${text}`);
  }
  const texts = [...elements.values()].map((fields) => fields.toSorted().join('\n'));
  return JSON.stringify(texts.toSorted());
}

interface Range {
  least: number;
  most: number;
}

interface LifeRanges {
  readonly created: Range;
  readonly deleted: Range;
  readonly deletedIn: ReadonlyMap<number, number>;
  /** Whether it exists at the end of a step, in some run. */
  readonly presentAfter: (step: number) => boolean;
}

/**
 * The common part of runs without faults: the end state, and how often each object was created and deleted. Fields and objects that
 * differ between them by chance are left out.
 */
export class Expectation {
  readonly #objects = new Map<string, CanonicalObject | undefined>();
  /** Objects that not all runs end with in the same state, and fields that differ. */
  readonly #varying = new Set<string>();
  readonly #maskedFields = new Map<string, Set<string>>();
  readonly #lives = new Map<string, LifeRanges>();

  constructor(histories: readonly ClusterHistory[]) {
    const states = histories.map(canonicalState);
    const ids = new Set(states.flatMap(({ objects }) => [...objects.keys()]));
    for (const id of ids) this.#learn(id, states);
    const living = new Set(states.flatMap(({ lives }) => [...lives.keys()]));
    for (const id of living) {
      const lives = states.map((state) => state.lives.get(id) ?? NO_LIVES);
      this.#lives.set(id, {
        created: rangeOf(lives.map(({ created }) => created)),
        deleted: rangeOf(lives.map(({ deleted }) => deleted)),
        deletedIn: deletionsBySteps(lives),
        presentAfter: (step) => lives.some((one) => presentAfter(one, step)),
      });
    }
  }

  /** The problems of the end of a run. */
  compare(history: ClusterHistory): readonly Finding[] {
    const state = canonicalState(history);
    return [...this.#compareObjects(state), ...this.#compareLives(state)];
  }

  /** Whether the objects at the end are as expected. */
  isSettled(history: ClusterHistory): boolean {
    return this.#compareObjects(canonicalState(history)).length === 0;
  }

  #learn(id: string, states: readonly CanonicalState[]): void {
    const found = states.map(({ objects }) => objects.get(id));
    const [first] = found;
    if (found.some((one) => (one === undefined) !== (first === undefined))) {
      this.#varying.add(id);
      return;
    }
    this.#objects.set(id, first);
    if (first === undefined) return;
    const masked = new Set<string>();
    for (const other of found) {
      if (other === undefined) continue;
      for (const path of [...first.keys(), ...other.keys()]) {
        if (first.get(path) !== other.get(path)) masked.add(path);
      }
    }
    this.#maskedFields.set(id, masked);
  }

  #compareObjects({ objects }: CanonicalState): readonly Finding[] {
    const findings: Finding[] = [];
    for (const id of new Set([...this.#objects.keys(), ...objects.keys()])) {
      if (this.#varying.has(id)) continue;
      const difference = stateDifference(
        this.#objects.get(id),
        objects.get(id),
        this.#maskedFields.get(id),
      );
      if (difference !== undefined)
        findings.push({ class: 'end-state', subject: id, ...difference });
    }
    return findings;
  }

  #compareLives({ lives }: CanonicalState): readonly Finding[] {
    const findings: Finding[] = [];
    for (const [id, found] of lives) {
      const { created, deleted } = found;
      const expected = this.#lives.get(id) ?? NEVER;
      const more = {
        created: created - expected.created.most,
        deleted: deleted - expected.deleted.most,
      };
      if (more.created <= 0 && more.deleted <= 0) continue;
      if (more.created === more.deleted && !wasNeeded(found, expected)) continue;
      findings.push({
        class: 'summary',
        subject: id,
        message: livesText(created, deleted, expected),
        difference: moreText(more),
      });
    }
    return findings;
  }
}

const NO_LIVES: Lives = { created: 0, deleted: 0, steps: new Map() };
const NEVER: LifeRanges = {
  created: { least: 0, most: 0 },
  deleted: { least: 0, most: 0 },
  deletedIn: new Map(),
  presentAfter: () => false,
};

function livesText(created: number, deleted: number, expected: LifeRanges): string {
  const usual = `${rangeText(expected.created)} and ${rangeText(expected.deleted)}`;
  return `it was created ${created} and deleted ${deleted} times; without faults ${usual}`;
}

function moreText({
  created,
  deleted,
}: {
  readonly created: number;
  readonly deleted: number;
}): string {
  const words = [...(created > 0 ? ['created'] : []), ...(deleted > 0 ? ['deleted'] : [])];
  return `${words.join(' and ')} more often`;
}

function rangeText({ least, most }: Range): string {
  return least === most ? `${least}` : `${least} to ${most}`;
}

function rangeOf(numbers: readonly number[]): Range {
  return { least: Math.min(...numbers), most: Math.max(...numbers) };
}

/**
 * Whether a deletion took away what should have been there. An object that is created once too often and then removed, because a cache was
 * behind, is no finding: every controller with a cache does that at times.
 */
function wasNeeded({ steps }: Lives, expected: LifeRanges): boolean {
  for (const [step, { deleted }] of steps) {
    if (deleted > (expected.deletedIn.get(step) ?? 0) && expected.presentAfter(step)) return true;
  }
  return false;
}

/** Most deletions of any run, by step. */
function deletionsBySteps(lives: readonly Lives[]): ReadonlyMap<number, number> {
  const most = new Map<number, number>();
  for (const { steps } of lives) {
    for (const [step, { deleted }] of steps) most.set(step, Math.max(most.get(step) ?? 0, deleted));
  }
  return most;
}

/** Whether an object exists at the end of a step: as the last step that changed it left it. */
function presentAfter({ steps }: Lives, step: number): boolean {
  const last = Math.max(...[...steps.keys()].filter((one) => one <= step));
  return steps.get(last)?.present ?? false;
}
