/** One small change of a source file. */
export interface Mutation {
  /** `boundary@12:7`: the operator, and line and column of the change, both from 1. Unique in its file. */
  readonly id: string;
  readonly operator: string;
  readonly line: number;
  /** Offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The code that runs when the mutation makes a difference. */
  readonly place: Place;
}

/** An expression or a statement, by its offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly statement: boolean;
}

export function mutated(
  text: string,
  { start, end, replacement }: Pick<Mutation, 'start' | 'end' | 'replacement'>,
): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** The lines that a mutation changes, as a diff shows them: at most three of each side. */
export function diffOf(text: string, { start, end, replacement }: Mutation): string[] {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const to = next === -1 ? text.length : next;
  const before = text.slice(from, to);
  const after = text.slice(from, start) + replacement + text.slice(end, to);
  return [...marked('-', before), ...marked('+', after)];
}

function marked(sign: string, text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, 3).map((line) => `${sign} ${line}`);
  return lines.length > 3 ? [...shown, `${sign} … ${lines.length - 3} more`] : shown;
}
