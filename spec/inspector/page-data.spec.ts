import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { pageDocument } from '../../lib/inspector/page-document.ts';
import { PAGE_DATA, pageData } from './build-page.ts';

const PAGE = resolve(import.meta.dirname, '../../lib/inspector/page');

describe('the text of the page', () => {
  it('is what its source files make; if not: npm run generate -- inspector-page', async () => {
    expect(readFileSync(PAGE_DATA, 'utf8') === (await pageData())).to.equal(true);
  });

  it('is smaller than 60 KB', () => {
    expect(Buffer.byteLength(pageDocument())).to.be.lessThan(60_000);
  });

  it('puts data into the page as text only', () => {
    const sources = readdirSync(PAGE).filter((name) => name.endsWith('.ts'));
    const html = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/;
    const wrong = sources.filter((name) => html.test(readFileSync(join(PAGE, name), 'utf8')));
    expect(wrong).to.deep.equal([]);
  });
});
