/** `npm run generate -- inspector-page`: bundles the page of the inspector into `lib/inspector/page-data.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, transform } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'lib', 'inspector', 'page');
export const PAGE_DATA: string = join(ROOT, 'lib', 'inspector', 'page-data.ts');

const TARGET = ['es2022', 'chrome110', 'firefox115', 'safari16'];

/** The text of the data module. */
export async function pageData(): Promise<string> {
  const bundled = await build({
    entryPoints: [join(PAGE, 'page-main.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: TARGET,
    charset: 'utf8',
    legalComments: 'none',
    tsconfigRaw: {},
  });
  const script = bundled.outputFiles[0]?.text ?? '';
  const css = readFileSync(join(PAGE, 'page.css'), 'utf8');
  const style = (await transform(css, { loader: 'css', minify: true, target: TARGET })).code;
  const body = readFileSync(join(PAGE, 'body.html'), 'utf8').replaceAll('\n', '');
  // A script element ends at the first closing tag in its text.
  const parts = {
    PAGE_STYLE: style.trim(),
    PAGE_BODY: body,
    PAGE_SCRIPT: script.trim().replaceAll('</', '<\\/'),
  };
  const lines = Object.entries(parts).map(
    ([name, text]) => `export const ${name}: string = ${JSON.stringify(text)};`,
  );
  return `/** Generated from \`page\` by \`npm run generate -- inspector-page\`. */\n${lines.join('\n')}\n`;
}

export async function writePage(): Promise<void> {
  writeFileSync(PAGE_DATA, await pageData());
}
