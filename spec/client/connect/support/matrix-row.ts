/** The result of one kind of credential: a row of the table of the specs and of `npm run check -- connect-matrix`. */
export interface MatrixRow {
  readonly kind: string;
  /** The checker of the credential: the API server itself, or a front before it, which asks for what the server does not know. */
  readonly checker: string;
  /** Objects in the first list. */
  readonly listed: number;
  /** Changes that the watch brought to each handler. */
  readonly events: number;
  /** Times that the credential was replaced. The old one was refused from then on, and running watches were ended. */
  readonly rotations: number;
  /** Times that watches were ended without a rotation, because the credential cannot rotate. */
  readonly cuts: number;
  readonly relists: number;
  readonly missed: number;
  readonly repeated: number;
  /** Answers 401 in all of the run. */
  readonly unauthorized: number;
  /** Connections that 100 calls, one after the other, opened. */
  readonly connectionsOfCalls: number;
  /** The failures, one line each. */
  readonly complaints: readonly string[];
}

/** The first show what is wrong; a history is long. */
const MOST_COMPLAINTS = 3;
/** Characters. */
const LONGEST = 400;

/** The deviations of a row from the expected one, one line each. */
export function problemsOf(row: MatrixRow): string[] {
  const { relists, missed, repeated, unauthorized, rotations, connectionsOfCalls } = row;
  const problems = row.complaints.slice(0, MOST_COMPLAINTS).map((one) => one.slice(0, LONGEST));
  if (relists > 0) problems.push(`${relists} relists`);
  if (missed > 0) problems.push(`${missed} events missed`);
  if (repeated > 0) problems.push(`${repeated} events repeated`);
  if (unauthorized > rotations) problems.push(`${unauthorized} answers 401`);
  if (connectionsOfCalls !== 1) problems.push(`${connectionsOfCalls} connections for 100 calls`);
  return problems;
}

const COLUMNS: readonly (readonly [string, (row: MatrixRow) => string | number])[] = [
  ['credential', ({ kind }) => kind],
  ['checked by', ({ checker }) => checker],
  ['listed', ({ listed }) => listed],
  ['watched', ({ events }) => events],
  ['rotations', ({ rotations, cuts }) => (rotations > 0 ? rotations : `0 (${cuts} cuts)`)],
  ['relists', ({ relists }) => relists],
  ['missed', ({ missed }) => missed],
  ['repeated', ({ repeated }) => repeated],
  ['401s', ({ unauthorized }) => unauthorized],
  ['connections of 100 calls', ({ connectionsOfCalls }) => connectionsOfCalls],
];

/** The rows as a table of Markdown; problems follow it. */
export function matrixTable(rows: readonly MatrixRow[]): string[] {
  const cells = rows.map((row) => COLUMNS.map(([, valueOf]) => String(valueOf(row))));
  const head = COLUMNS.map(([title]) => title);
  const widths = head.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => line[index]!.length)),
  );
  const line = (texts: readonly string[], fill: string = ' '): string =>
    `|${texts.map((text, index) => `${fill}${text.padEnd(widths[index]!, fill)}${fill}`).join('|')}|`;
  const wrong = rows.flatMap((row) => problemsOf(row).map((one) => `${row.kind}: ${one}`));
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...cells.map((texts) => line(texts)),
    ...wrong,
  ];
}
