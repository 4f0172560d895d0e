import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import type { ConformanceRow } from './support/upstream-rows/conformance-row.ts';
import {
  brokenReferences,
  conformancePage,
  miscountedTests,
  referencedSpecs,
  sections,
  unexplainedRows,
} from './support/upstream-rows/conformance.ts';
import { titlesOf } from './support/spec-titles.ts';
import { upstreamTests } from './support/upstream-rows/upstream-tests.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SPEC = join(ROOT, 'spec');
const PAGE = join(ROOT, 'docs', 'conformance.md');

const rows = sections.flatMap((section) => section.rows);

describe('the conformance rows', () => {
  it('stand for the 230 tests of client-go that concern its cache, each once', () => {
    const counts = new Map<string, number>();
    for (const [path, tests] of Object.entries(upstreamTests)) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      counts.set(folder, (counts.get(folder) ?? 0) + tests.length);
    }
    expect(Object.fromEntries(counts)).to.deep.equal({
      'tools/cache': 186,
      'tools/cache/synctrack': 10,
      'tools/cache/testing': 2,
      'tools/watch': 13,
      'tools/pager': 3,
      features: 8,
      'features/testing': 4,
      'util/watchlist': 2,
      'util/consistencydetector': 2,
    });
    expect(miscountedTests(rows).join('\n')).to.equal('');
    expect(rows).to.have.length(230);
  });

  it('point at cases that exist and run', async () => {
    const broken = brokenReferences(rows, await titlesOf(referencedSpecs(rows)));
    expect(broken.join('\n')).to.equal('');
  });

  it('point at a case for at least 200 of the tests, and say why there is none for the rest', () => {
    expect(rows.filter(({ specs }) => specs.length > 0).length).to.be.at.least(200);
    expect(unexplainedRows(rows).join('\n')).to.equal('');
  });

  it('stand in docs/conformance.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = conformancePage(sections);
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').to.equal(page);
  });
});

describe('the check of the conformance rows', () => {
  const row = (fields: Partial<ConformanceRow>): ConformanceRow => ({
    file: 'pager_test.go',
    test: 'TestListPager_List',
    specs: [],
    ...fields,
  });

  it('finds tests without a row, tests with two, and rows without a test', () => {
    const all = Object.entries(upstreamTests).flatMap(([file, tests]) =>
      tests.map((test) => row({ file, test })),
    );
    expect(miscountedTests(all)).to.deep.equal([]);
    const stranger = row({ test: 'TestOther' });
    expect(miscountedTests([...all.slice(1), all[1]!, stranger])).to.deep.equal([
      `${all[0]!.file} ${all[0]!.test} has 0 rows`,
      `${all[1]!.file} ${all[1]!.test} has 2 rows`,
      'pager_test.go TestOther is no upstream test',
    ]);
  });

  it('finds references to no case, and to more than one', () => {
    const specs = ['once', 'twice', 'never'].map((title) => ({ spec: 'a.spec.ts', title }));
    const titles = new Map([['a.spec.ts', ['once', 'twice', 'twice']]]);
    expect(brokenReferences([row({ specs })], titles)).to.deep.equal([
      'pager_test.go TestListPager_List: 2 cases in a.spec.ts are called "twice"',
      'pager_test.go TestListPager_List: 0 cases in a.spec.ts are called "never"',
    ]);
    expect(brokenReferences([row({ specs })], new Map())).to.have.length(3);
  });

  it('takes a skipped case and one that is only announced for none', async () => {
    const folder = join(ROOT, '.tmp', 'conformance');
    const file = join(folder, 'cases.cjs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      file,
      "it('runs', () => {}); it.skip('is skipped', () => {}); it('is announced');",
    );
    const spec = relative(SPEC, file);
    expect((await titlesOf([spec])).get(spec)).to.deep.equal(['runs']);
    rmSync(folder, { recursive: true });
  });

  it('finds rows without a case and without a reason', () => {
    const reason = 'the type system rules it out';
    const rest = [row({ because: reason }), row({ specs: [{ spec: 'a', title: 'b' }] })];
    const none = [{}, { because: 'no' }, { because: 'pending: the audit will hold it' }].map(row);
    expect(unexplainedRows([...none, ...rest])).to.have.length(3);
  });

  it('leads a reader to the sections, and does not take titles for markup', () => {
    const specs = [
      { spec: 'a.spec.ts', title: 'a|b [c]' },
      { spec: 'a.spec.ts', title: 'd' },
    ];
    const page = conformancePage([{ title: 'Two words', rows: [row({ specs })] }]);
    expect(page).to.include('| [Two words](#two-words) | 1 | 1 | 0 |\n| **all** | 1 | 1 | 0 |');
    expect(page).to.include('| [a.spec.ts](../spec/a.spec.ts)<br>• a\\|b \\[c\\]<br>• d |');
  });
});
