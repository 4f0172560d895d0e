/**
 * Before and after `npm pack`: writes the files whose published text differs from that of the checkout, and puts the originals back.
 * package.json loses the condition `@listwatch/source`, as the sources are in the source maps, and the development scripts; pages get
 * addresses of the repository.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publishedFiles, ROOT } from './manifest.ts';

const ORIGINALS = join(ROOT, '.tmp', 'originals');

function restore(): void {
  if (!existsSync(ORIGINALS)) return;
  cpSync(ORIGINALS, ROOT, { recursive: true });
  rmSync(ORIGINALS, { recursive: true });
}

function publish(): void {
  // A packing that was killed may have left the published ones behind.
  restore();
  const texts = publishedFiles();
  for (const path of texts.keys()) {
    const copy = join(ORIGINALS, path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readFileSync(join(ROOT, path)));
  }
  for (const [path, text] of texts) writeFileSync(join(ROOT, path), text);
}

if (process.argv[2] === 'publish') publish();
else restore();
