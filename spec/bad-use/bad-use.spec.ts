import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { errorCodes } from '../../lib/kernel/failure/errors.ts';
import { badUsePage } from './bad-use-page.ts';
import { CANARY, errorOf, normalised, type BadUseArea } from './bad-use.ts';
import { BUILDERS } from './rows/builder-rows.ts';
import { CALLS } from './rows/call-rows.ts';
import { CONFIGURATION } from './rows/configuration-rows.ts';
import { QUEUES, RECONCILES } from './rows/controller-rows.ts';
import { INFORMERS, LOG } from './rows/informer-rows.ts';
import { PROGRAMS } from './rows/program-rows.ts';
import { SERVERS } from './rows/server-rows.ts';
import { STORES } from './rows/store-rows.ts';

const AREAS: readonly BadUseArea[] = [
  CONFIGURATION,
  SERVERS,
  CALLS,
  LOG,
  INFORMERS,
  BUILDERS,
  PROGRAMS,
  RECONCILES,
  QUEUES,
  STORES,
];

const PAGE = join(resolve(import.meta.dirname, '../..'), 'docs', 'bad-use.md');

const LONGEST = 400;
/** A log line also has the name of the reflector and what it does next. */
const LONGEST_LOG_LINE = 255;

/** The beginnings of a remedy, or the words of a rule that say what is right. */
const REMEDY = new RegExp(
  [
    '(?:^|[;:?.,(] ?)(?:it )?(?:or )?(?:if [^;]+, )?(?:add|call|check|correct|change|create|declare|delete|encode|end|expected|give|install|it has|it offers|keep|leave|list again|look|make|name|pass|read|renew|return|run|select|send|set|take|try|use|wait|write)\\b',
    'did you mean',
    'is required',
    'needs it',
    'known are',
    'must ',
    'takes? ',
    'the (?:clusters|contexts|users) are',
    'is an array of operations',
  ].join('|'),
  'i',
);

/** Words in a row that a message says twice. */
function repetition(message: string): string | undefined {
  const words = message.toLowerCase().split(/[^a-z0-9/:.-]+/);
  const seen = new Set<string>();
  for (let at = 0; at + 5 <= words.length; at += 1) {
    const row = words.slice(at, at + 5).join(' ');
    if (seen.has(row)) return row;
    seen.add(row);
  }
  return undefined;
}

describe('bad use', () => {
  for (const area of AREAS) {
    describe(area.title.toLowerCase(), () => {
      for (const { mistake, act, code, message, own = false } of area.cases) {
        it(`has one line with cause and remedy for: ${mistake}`, async () => {
          const error = await errorOf(act);
          const given = normalised(error.message);
          expect(given).to.equal(message);
          expect(error.code).to.equal(code);
          expect(Object.keys(errorCodes)).to.include(code);
          expect(given).to.not.match(/\p{Cc}/u);
          expect(given.length).to.be.at.most(area === LOG ? LONGEST_LOG_LINE : LONGEST);
          expect(repetition(given)).to.equal(undefined);
          expect(`${error.stack} ${JSON.stringify(error)}`).to.not.include(CANARY);
          if (!own) expect(given).to.match(REMEDY);
        });
      }
    });
  }

  it('is shown in at least 190 cases, each once', () => {
    const all = AREAS.flatMap(({ title, cases }) => cases.map(({ mistake }) => title + mistake));
    expect(all.length).to.be.at.least(190);
    expect(new Set(all).size).to.equal(all.length);
  });

  it('is on the page docs/bad-use.md', () => {
    const page = badUsePage(AREAS);
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).to.equal(page);
  });
});
