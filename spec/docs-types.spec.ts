import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { compilePrograms } from './types/definitions/compile-programs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
/** Beside the packages that the pages import. */
const SCRATCH = join(ROOT, '.tmp', 'docs-types');

/** The TypeScript of the pages, by a name that says the page and the line of its fence. */
function programs(): Record<string, string> {
  const found: Record<string, string> = {};
  const guides = readdirSync(join(DOCS, 'guides')).filter((name) => name.endsWith('.md'));
  for (const file of [
    join(ROOT, 'README.md'),
    join(DOCS, 'from-client-node.md'),
    join(DOCS, 'from-controller-runtime.md'),
    join(DOCS, 'from-kopf.md'),
    ...guides.map((name) => join(DOCS, 'guides', name)),
  ]) {
    const text = readFileSync(file, 'utf8');
    for (const { index, 1: code = '' } of text.matchAll(/^```ts\n([^]*?)^```$/gm)) {
      const line = text.slice(0, index).split('\n').length;
      found[`${relative(ROOT, file).replaceAll(/[^\w-]/g, '_')}-line-${line}.ts`] = code;
    }
  }
  return found;
}

describe('TypeScript in README and guides', function () {
  // Only a hang reaches this.
  this.timeout(600_000);

  after(() => {
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  it('compiles under strict, as a copied program', async () => {
    const blocks = programs();
    expect(Object.keys(blocks).length).to.be.greaterThan(20);
    expect((await compilePrograms(SCRATCH, blocks)).join('\n')).to.equal('');
  });
});
