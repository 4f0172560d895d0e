import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { later, yes } from './support/feature-rows/feature-row.ts';
import {
  brokenLinks,
  featureSections,
  featuresPage,
  FEATURES,
  misnumberedRows,
  unexplainedFeatures,
} from './support/feature-rows/features.ts';
import { titlesOf } from './support/spec-titles.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'features.md');
/** Warm start, protobuf in the client, CBOR, cache dump. */
const LATER = [89, 90];

const rows = featureSections.flatMap((section) => section.rows);
const codeExists = (code: string): boolean => existsSync(join(ROOT, 'lib', code));

describe('the features of controller libraries', () => {
  it(`are ${FEATURES} rows, each once and in order`, () => {
    expect(misnumberedRows(rows)).to.deep.equal([]);
    expect(rows).to.have.length(FEATURES);
  });

  it('are all there but some, which say why they come later', () => {
    const missing = rows.filter(({ code }) => code === undefined).map(({ number }) => number);
    expect(missing).to.deep.equal(LATER);
    expect(unexplainedFeatures(rows)).to.deep.equal([]);
  });

  it('name a file that exists, and a case that exists and runs', async () => {
    const specs = new Set(rows.flatMap(({ spec }) => (spec === undefined ? [] : [spec.spec])));
    const broken = brokenLinks(rows, await titlesOf([...specs]), codeExists);
    expect(broken.join('\n')).to.equal('');
  });

  it('stand in docs/features.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = featuresPage(featureSections);
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').to.equal(page);
  });
});

describe('the check of the features', () => {
  const row = yes(1, 'one', 'meta/key.ts', ['meta/key.spec.ts', 'a title']);
  const reason = 'It needs a file format first, which needs rules for Secrets and for damage.';

  it('finds rows that are missing, come twice, or are out of order', () => {
    expect(misnumberedRows(rows.slice(1)).slice(0, 1)).to.deep.equal(['row 1 is 2']);
    expect(misnumberedRows(rows.slice(0, -1))).to.deep.equal(['row 110 is missing']);
    expect(misnumberedRows([...rows, row])).to.deep.equal(['row 111 is 1']);
  });

  it('finds rows without a case, without a reason, and with both', () => {
    const { spec: _, ...without } = row;
    const wrong = [without, later(2, 'two', 'later'), { ...row, number: 3, because: reason }];
    expect(unexplainedFeatures(wrong)).to.deep.equal(['row 1', 'row 2', 'row 3']);
    expect(unexplainedFeatures([row, later(2, 'two', reason)])).to.deep.equal([]);
  });

  it('finds files that do not exist, and titles that no case or two cases have', () => {
    const titled = (...titles: readonly string[]) => new Map([['meta/key.spec.ts', titles]]);
    expect(brokenLinks([row], titled('a title'), codeExists)).to.deep.equal([]);
    for (const titles of [titled(), titled('a title', 'a title'), titled('another title')]) {
      expect(brokenLinks([row], titles, codeExists)).to.have.length(1);
    }
    const moved = { ...row, code: 'meta/keys.ts' };
    expect(brokenLinks([moved], titled('a title'), codeExists)).to.deep.equal([
      'row 1: no lib/meta/keys.ts',
    ]);
  });

  it('keeps markup out of the cells of the page, and code in them', () => {
    const page = featuresPage([{ title: 'A', rows: [{ ...row, feature: 'a|b `c|d`' }] }]);
    expect(page).to.include('| 1 | a\\|b `c\\|d` | yes | [key.ts](../lib/meta/key.ts) |');
    expect(page).to.include('1 of 1 are there; 0 come later.');
  });
});
