/**
 * `npm run check -- release --tag TAG [--out FOLDER]`: whether a tag may be released. With `--out` it makes what is released, in that
 * folder: the tarball, built twice and equal (see pack-twice.ts), the bill of materials, and the notes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readManifest, ROOT } from './manifest.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { notesOf, releaseProblems } from './release.ts';
import { packTwice } from './pack-twice.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' }, out: { type: 'string' } } });
const manifest = readManifest();
const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name } = process.env;
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const changelog = textOf('CHANGELOG.md');
const problems = releaseProblems({
  manifest,
  lock: JSON.parse(textOf('package-lock.json')) as { version: string },
  changelog,
  upgrading: textOf('docs/upgrading.md'),
  tag: values.tag ?? `v${manifest.version}`,
  runsIn: host === undefined || name === undefined ? undefined : `${host}/${name}`,
});
if (problems.length > 0) {
  console.error(['This is not released:', ...problems].join('\n- '));
  process.exitCode = 1;
} else if (values.out === undefined) {
  console.log(`v${manifest.version} may be released`);
} else {
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const { tarball, integrity } = await packTwice(out);
  writeFileSync(join(out, 'sbom.cdx.json'), await billOfMaterials(tarball));
  writeFileSync(join(out, 'notes.md'), `${notesOf(changelog, manifest.version)}\n`);
  console.log(`${tarball}, built twice: ${integrity}`);
}
