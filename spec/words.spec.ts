import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..');
const API = join(ROOT, 'docs', 'api');

/** Words that stand for one of the field, and that one. */
const REPLACED: Readonly<Record<string, string>> = {
  owe: 'backlog, or "has still to send"',
  owes: 'backlog, or "has still to send"',
  owed: 'backlog, or "has still to send"',
  twin: 'unchanged object, or copy',
  twins: 'unchanged objects, or copies',
  recall: 'retain',
  recalls: 'retains',
  recalled: 'retained',
  demand: 'retention',
  demands: 'asks for',
  demanded: 'asked for',
  blink: 'drop of the connection',
  blinks: 'drops of the connection',
  futile: 'without effect',
  goal: 'condition',
  goals: 'conditions',
  nobody: 'no handler, no reader, no caller',
  whoever: 'the caller, the reader, each program that',
  told: 'notified, reported, shown, distinguished',
  tell: 'notify, report, show, distinguish',
  tells: 'notifies, reports, says, distinguishes',
  judge: 'check, checker, reference server',
  judges: 'checks',
  judged: 'checked',
  rooms: 'folders',
};

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === 'node_modules') return [];
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path, ending);
    return ending.test(name) ? [path] : [];
  });
}

/** Pages, and all of the code: names, messages and comments. Pages of `docs/api` are made from the code. */
function texts(): string[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [
    ...top.map((name) => join(ROOT, name)),
    ...filesBelow(join(ROOT, 'docs'), /\.md$/).filter((file) => !file.startsWith(API)),
    ...filesBelow(join(ROOT, 'lib'), /\.(ts|md)$/),
    ...filesBelow(join(ROOT, 'examples'), /\.(ts|md)$/),
    ...filesBelow(join(ROOT, 'spec'), /\.(ts|mjs|md)$/).filter(
      (file) => file !== import.meta.filename,
    ),
  ];
}

/** The words of a text in lower case; a name in camel case has several. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/\bon demand\b/gi, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

function replacements(file: string): string[] {
  const found = new Set(wordsOf(readFileSync(file, 'utf8')));
  return Object.keys(REPLACED)
    .filter((word) => found.has(word))
    .map((word) => `${word} (write: ${REPLACED[word]})`);
}

/** Comments whose first word is `What` or `Whoever`. */
function commentsThatAsk(text: string): string[] {
  return text.match(/(?:\/\*\*?|\/\/)\s*(?:\*\s*)?(?:What|Whoever)\b.*/g) ?? [];
}

describe('the words of code and pages', () => {
  // Base64 has words by chance; the columns of tables are recorded.
  const files = texts().filter((file) => !/-data\.ts$|\/column-text\.ts$/.test(file));

  it('are those of the field', () => {
    const wrong = files
      .map((file) => ({ file, words: replacements(file) }))
      .filter(({ words }) => words.length > 0)
      .map(({ file, words }) => `${relative(ROOT, file)}: ${words.join(', ')}`);
    expect(wrong).to.deep.equal([]);
  });

  it('name the subject at the beginning of a comment', () => {
    const wrong = files
      .filter((file) => !file.endsWith('.md'))
      .flatMap((file) =>
        commentsThatAsk(readFileSync(file, 'utf8')).map(
          (comment) => `${relative(ROOT, file)}: ${comment}`,
        ),
      );
    expect(wrong).to.deep.equal([]);
    expect(commentsThatAsk('/** What it is. */\n/**\n * Whoever\n */\n// Whatever')).to.have.length(
      2,
    );
  });

  it('are distinguished in names, at borders and in phrases', () => {
    expect(wordsOf('endDemand(recallGoal), read on demand; Nobody')).to.include.members([
      'demand',
      'recall',
      'goal',
      'nobody',
    ]);
    expect(wordsOf('checks run on demand')).not.to.include('demand');
  });
});
