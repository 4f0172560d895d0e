import type { Mutation, Place } from './mutation.ts';

/** The function of the global scope that a probe calls with its number, where a program has one. */
export const PROBE = '__reached';

/** A mutation and the number that its probe tells. */
export interface Probe {
  readonly number: number;
  readonly mutation: Mutation;
}

/** The text with a probe where each mutation would make a difference: it does the same and tells what runs. */
export function probed(text: string, probes: readonly Probe[]): string {
  const insertions = probes.flatMap(({ number, mutation: { place } }) =>
    insertionsOf(number, place),
  );
  let result = '';
  let from = 0;
  for (const { at, piece } of insertions.toSorted(inOrder)) {
    result += text.slice(from, at) + piece;
    from = at;
  }
  return result + text.slice(from);
}

interface Insertion {
  readonly at: number;
  readonly opens: boolean;
  readonly place: Place;
  readonly number: number;
  readonly piece: string;
}

function insertionsOf(number: number, place: Place): Insertion[] {
  const call = `globalThis.${PROBE}?.(${number})`;
  const [open, close] = place.statement ? [`{ ${call}; `, ' }'] : [`(${call}, `, ')'];
  return [
    { at: place.start, opens: true, place, number, piece: open },
    { at: place.end, opens: false, place, number, piece: close },
  ];
}

/** Where several begin, the outermost opens first; where several end, it closes last. */
function inOrder(left: Insertion, right: Insertion): number {
  if (left.at !== right.at) return left.at - right.at;
  if (left.opens !== right.opens) return left.opens ? 1 : -1;
  const size = ({ place }: Insertion): number => place.end - place.start;
  const statementFirst = Number(right.place.statement) - Number(left.place.statement);
  const outer = size(right) - size(left) || statementFirst || left.number - right.number;
  return left.opens ? outer : -outer;
}
