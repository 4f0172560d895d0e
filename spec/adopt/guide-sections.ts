import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../package/manifest.ts';

export const GUIDE: string = join(ROOT, 'docs', 'guides', 'bundles-and-test-runners.md');

/** A section of the guide: the files of a project, and the lines that are typed in it. */
export interface GuideSection {
  readonly title: string;
  /** The text of each file, by its path. */
  readonly files: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
}

/** The sections with a block, in order. @throws {Error} for a block that is neither a file nor lines to type. */
export function guideSections(): readonly GuideSection[] {
  const [, ...parts] = readFileSync(GUIDE, 'utf8').split(/^## /m);
  return parts.map(sectionOf).filter(({ files, lines }) => files.size + lines.length > 0);
}

function sectionOf(part: string): GuideSection {
  const title = part.slice(0, part.indexOf('\n'));
  const files = new Map<string, string>();
  const lines: string[] = [];
  for (const [, language, name, text = ''] of part.matchAll(
    /^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm,
  )) {
    if (name !== undefined) files.set(name, text);
    else if (language === 'sh') lines.push(...text.split('\n').filter((line) => line !== ''));
    else throw new Error(`${title}: a block is a file or lines to type`);
  }
  return { title, files, lines };
}
