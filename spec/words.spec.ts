import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..');
const API = join(ROOT, 'docs', 'api');
/** Files that still hold such words, which is known. A line may leave this list, none may come. */
const LIST = join(import.meta.dirname, 'support', 'words-to-replace.txt');

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

/** A source file is listed by its name alone, which no other has, so that it may be moved. */
function entryOf(file: string): string {
  const name = basename(file);
  return name.endsWith('.ts') && name !== 'index.ts' ? name : relative(ROOT, file);
}

function replacements(file: string): string[] {
  const found = new Set(wordsOf(readFileSync(file, 'utf8')));
  return Object.keys(REPLACED)
    .filter((word) => found.has(word))
    .map((word) => `${word} (write: ${REPLACED[word]})`);
}

function listed(): string[] {
  return readFileSync(LIST, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

describe('the words of code and pages', () => {
  const found = texts()
    // Base64 has words by chance; the columns of tables are recorded.
    .filter((file) => !/-data\.ts$|\/column-text\.ts$/.test(file))
    .map((file) => ({ file, entry: entryOf(file), words: replacements(file) }))
    .filter(({ words }) => words.length > 0);
  const present = new Set(found.map(({ entry }) => entry));

  before(() => {
    if (process.env['LISTWATCH_UPDATE_DOCS'] !== '1') return;
    const left = listed().filter((entry) => present.has(entry));
    writeFileSync(LIST, left.map((entry) => `${entry}\n`).join(''));
  });

  it('are those of the field, but for files that are known', () => {
    const known = new Set(listed());
    const wrong = found
      .filter(({ entry }) => !known.has(entry))
      .map(({ file, words }) => `${relative(ROOT, file)}: ${words.join(', ')}`);
    expect(wrong).to.deep.equal([]);
  });

  it('have a list of known files that only gets shorter (LISTWATCH_UPDATE_DOCS=1 shortens it)', () => {
    const done = listed().filter((entry) => !present.has(entry));
    expect(done, 'files without such a word').to.deep.equal([]);
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
