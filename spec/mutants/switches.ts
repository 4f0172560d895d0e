import { mutated, type Mutation } from './mutation.ts';

/** The function of the global scope that a switch asks with its number whether its mutant is on. */
export const SWITCH = '__mutant';

/** A mutation and the number that its switch asks with. */
export interface Switched {
  readonly number: number;
  readonly mutation: Mutation;
}

/** The text with all of these mutations in it, each behind a switch. Without the function, all are off. */
export function switched(text: string, mutants: readonly Switched[]): string {
  const insertions = mutants.flatMap((one) => insertionsOf(text, one));
  let result = '';
  let from = 0;
  for (const { at, piece } of insertions.toSorted(inOrder)) {
    result += text.slice(from, at) + piece;
    from = at;
  }
  return result + text.slice(from);
}

interface Insertion extends Switched {
  readonly at: number;
  readonly opens: boolean;
  readonly piece: string;
}

function insertionsOf(text: string, { number, mutation }: Switched): Insertion[] {
  const { start, end, statement } = mutation.place;
  const asked = `globalThis.${SWITCH}?.(${number})`;
  const change = { ...mutation, start: mutation.start - start, end: mutation.end - start };
  // A statement that is mutated is left out.
  const [open, close] = statement
    ? [`{ if (!${asked}) { `, ' } }']
    : [`(${asked} ? (${mutated(text.slice(start, end), change)}) : (`, '))'];
  return [
    { at: start, opens: true, number, mutation, piece: open },
    { at: end, opens: false, number, mutation, piece: close },
  ];
}

/** Where several begin, the outermost opens first; where several end, it closes last. */
function inOrder(left: Insertion, right: Insertion): number {
  if (left.at !== right.at) return left.at - right.at;
  if (left.opens !== right.opens) return left.opens ? 1 : -1;
  const size = ({ mutation: { place } }: Insertion): number => place.end - place.start;
  const statements = Number(right.mutation.place.statement) - Number(left.mutation.place.statement);
  const outer = size(right) - size(left) || statements || left.number - right.number;
  return left.opens ? outer : -outer;
}
