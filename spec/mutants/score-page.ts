/** How many mutants of one folder were killed. */
export interface FolderScore {
  readonly folder: string;
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
  '| folder | killed | survived | timed out | equivalent | score | command |',
  '|---|--:|--:|--:|--:|--:|---|',
];

/** The page with the rows of `scores` in place of those of the same folders. */
export function pageWith(page: string, scores: readonly FolderScore[]): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end === -1) throw new Error(`the page has no "${BEGIN}" and "${END}"`);
  const rows = new Map(rowsOf(page.slice(begin, end)).map((row) => [folderOf(row), row]));
  for (const score of scores) rows.set(score.folder, rowFor(score));
  const sorted = [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const table = [BEGIN, ...HEAD, ...sorted.map(([, row]) => row)].join('\n');
  return `${page.slice(0, begin)}${table}\n${page.slice(end)}`;
}

/** `78 %`; a dash where nothing was decided. */
export function percentKilled({ killed, survived }: FolderScore): string {
  const decided = killed + survived;
  return decided === 0 ? '–' : `${Math.round((100 * killed) / decided)} %`;
}

function rowFor(score: FolderScore): string {
  const { folder, command, killed, survived, timedOut, equivalent } = score;
  const figures = [killed, survived, timedOut, equivalent, percentKilled(score)].join(' | ');
  return `| ${folder} | ${figures} | \`npm run check -- mutants ${command}\` |`;
}

function rowsOf(table: string): string[] {
  return table.split('\n').filter((line) => /^\| [a-z]/.test(line) && !HEAD.includes(line));
}

function folderOf(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}
