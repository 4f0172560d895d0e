import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { missingFor, readResults, verdictOf } from './recorded-results.ts';
import { resultsPage } from './results-page.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/conformance-e2e.md');

describe('the recorded results of the conformance suite', () => {
  it('have no case that passes with the real server alone, but those that need a part that is missing', () => {
    const { cases } = readResults();
    const differing = cases.filter((one) => verdictOf(one) === 'differs');
    expect(differing.filter((one) => missingFor(one) === undefined)).to.deep.equal([]);
  });

  it('stand in docs/conformance-e2e.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = resultsPage(readResults());
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).to.equal(page);
  });

  it('count a case that fails with both servers as one that needs pods', () => {
    const name = '[sig-cli] case';
    expect(verdictOf({ name })).to.equal('passed');
    expect(verdictOf({ name, ours: 'failed' })).to.equal('differs');
    expect(verdictOf({ name, ours: 'failed', real: 'failed' })).to.equal('needs pods');
  });
});
