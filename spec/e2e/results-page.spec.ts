import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { needOf, readResults } from './recorded-results.ts';
import { resultsPage } from './results-page.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/conformance-e2e.md');

describe('the recorded results of the conformance suite', () => {
  it('have no failed case, but those that need a part of a cluster that is not there', () => {
    const failed = readResults().cases.filter(({ failure }) => failure !== undefined);
    expect(failed.filter((one) => needOf(one) === undefined)).to.deep.equal([]);
  });

  it('stand in docs/conformance-e2e.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = resultsPage(readResults());
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).to.equal(page);
  });

  it('name what a failed case needs, and count it', () => {
    const policy = { name: '[sig-api-machinery] ValidatingAdmissionPolicy case', failure: 'no' };
    const page = resultsPage({
      source: '',
      suite: '',
      cases: [policy, { name: '[sig-cli] case' }],
    });
    expect(page).to.include('| ValidatingAdmissionPolicy case | needs CEL |');
    expect(page).to.include('| sig-cli | 1 | 0 | 1 |\n| **all** | 1 | 1 | 2 |');
  });
});
