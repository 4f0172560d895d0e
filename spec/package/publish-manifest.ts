/**
 * Before and after `npm pack`: takes the condition `@listwatch/source` and the development scripts out of package.json, and puts
 * the original back. The sources are in the source maps, so the condition would point at files that the tarball does not have.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedManifest, ROOT } from './manifest.ts';

const MANIFEST = join(ROOT, 'package.json');
const ORIGINAL = join(ROOT, '.tmp', 'package.json.original');

function restore(): void {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}

function strip(): void {
  // A packing that was killed may have left the stripped one behind.
  restore();
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  copyFileSync(MANIFEST, ORIGINAL);
  writeFileSync(MANIFEST, publishedManifest());
}

if (process.argv[2] === 'strip') strip();
else restore();
