/** What became of the mutants of one room. */
export interface RoomScore {
  readonly room: string;
  /** The options that run it again. */
  readonly command: string;
  readonly killed: number;
  readonly survived: number;
  readonly timedOut: number;
  /** Survived, and listed with the reason why no spec can notice. */
  readonly equivalent: number;
}

const BEGIN = '<!-- scores: begin -->';
const END = '<!-- scores: end -->';
const HEAD = [
  '| room | killed | survived | timed out | equivalent | score | command |',
  '|---|--:|--:|--:|--:|--:|---|',
];

const EMPTY_PAGE = `# Mutation score

A mutant is the code with one small change: a negated condition, \`<\` in place of \`<=\`, a statement or an early return left
out, \`+\` in place of \`-\`, a changed boolean or small number, an inverted return value. For each mutant three groups of specs
run until the first failure: the specs of the folder ("room"), the specs that import the file, and the suites of the parent
folder. A mutant that fails no spec has survived: either a spec is missing, or the change makes no difference. A run that
takes more than four times as long as the unchanged code has timed out. Such runs are not in the score, since the machine may
have been busy.

With \`--reached\`, all mutants are planted at once behind switches. Every test runs once to find the switches it comes by. Then
each mutant is switched on for those tests, the nearest first, up to 20 seconds of them. A test has killed it that fails with it
and passes without it again; one that does not end, twice, has timed out. What no test kills is planted alone once more.
\`--specs\` names the folders whose tests are asked, in place of all.

The score is the share of the mutants that were killed. Each row is a sample, drawn from the seed; \`--whole\` draws from a room with
all below it, and keeps the sample when other lines change. \`npm run check -- mutants\` prints the survivors, each with its diff and the
command that runs it again. \`--write\` replaces the rows of the rooms it has run.

A mutant that makes no difference is equivalent. \`spec/mutants/equivalent-mutants.ts\` lists those that were found, each with the
reason; they are not in the score.

${BEGIN}
${END}
`;

/** The page with the rows of `scores` in place of those of the same rooms. */
export function pageWith(page: string | undefined, scores: readonly RoomScore[]): string {
  const text = page ?? EMPTY_PAGE;
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end === -1) throw new Error(`the page has no "${BEGIN}" and "${END}"`);
  const rows = new Map(rowsOf(text.slice(begin, end)).map((row) => [roomOf(row), row]));
  for (const score of scores) rows.set(score.room, rowFor(score));
  const sorted = [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const table = [BEGIN, ...HEAD, ...sorted.map(([, row]) => row)].join('\n');
  return `${text.slice(0, begin)}${table}\n${text.slice(end)}`;
}

/** `78 %`; a dash where nothing was decided. */
export function percentKilled({ killed, survived }: RoomScore): string {
  const decided = killed + survived;
  return decided === 0 ? '–' : `${Math.round((100 * killed) / decided)} %`;
}

function rowFor(score: RoomScore): string {
  const { room, command, killed, survived, timedOut, equivalent } = score;
  const figures = [killed, survived, timedOut, equivalent, percentKilled(score)].join(' | ');
  return `| ${room} | ${figures} | \`npm run check -- mutants ${command}\` |`;
}

function rowsOf(table: string): string[] {
  return table.split('\n').filter((line) => /^\| [a-z]/.test(line) && !HEAD.includes(line));
}

function roomOf(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}
