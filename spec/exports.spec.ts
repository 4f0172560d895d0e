import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..');
const LIST = join(ROOT, 'docs', 'api', 'exports.txt');

interface PackageJson {
  readonly exports: Readonly<Record<string, string | { readonly '@listwatch/source': string }>>;
}

/** Values only: types leave no trace at run time, and are held by the specs that use them. */
async function exportedNames(): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
  const lines: string[] = [];
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const names = Object.keys((await import(join(ROOT, target['@listwatch/source']))) as object);
    lines.push(...names.toSorted().map((name) => `listwatch${entry.slice(1)} ${name}`));
  }
  return `${lines.join('\n')}\n`;
}

describe('the public surface', () => {
  it('is what docs/api/exports.txt lists (LISTWATCH_UPDATE_DOCS=1 rewrites it)', async () => {
    const actual = await exportedNames();
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') {
      mkdirSync(dirname(LIST), { recursive: true });
      writeFileSync(LIST, actual);
    }
    expect(existsSync(LIST) ? readFileSync(LIST, 'utf8') : '').to.equal(actual);
  });
});
