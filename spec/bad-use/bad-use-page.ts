import type { BadUseArea } from './bad-use.ts';

const INTRODUCTION = `# Messages for wrong use

Every error is one line: where it happened, the cause, and what to do. Its \`code\` is stable, the message is not: match on the code
([\`errors.md\`](errors.md) has all of them). \`PORT\`, \`DIRECTORY\` and \`N\` stand for what differs from run to run.

\`spec/bad-use\` makes each of these mistakes, compares the message with this page, and writes the page with
\`LISTWATCH_UPDATE_DOCS=1\`.
`;

/** The page with the messages for wrong use. */
export function badUsePage(areas: readonly BadUseArea[]): string {
  const tables = areas.map(({ title, cases }) => {
    const rows = cases.map(
      ({ mistake, code, message }) => `| ${cell(mistake)} | \`${code}\` | ${cell(message)} |`,
    );
    return `## ${title}\n\n| mistake | code | message |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [INTRODUCTION, ...tables].join('\n');
}

/** A text in a cell of a table, not as Markdown. */
function cell(text: string): string {
  return text.replaceAll(/[|<>*_`[\]\\]/g, (character) => `\\${character}`);
}
