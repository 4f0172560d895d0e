import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../package/manifest.ts';

export interface TutorialStep {
  /** Of its fence. */
  readonly line: number;
  /** The file that it is or belongs to; undefined for lines to type. */
  readonly file: string | undefined;
  readonly append: boolean;
  readonly text: string;
}

/** The steps of the tutorial, in order. @throws {Error} for a block that is neither a file nor lines to type. */
export function tutorialSteps(): TutorialStep[] {
  const text = readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8');
  const steps: TutorialStep[] = [];
  for (const match of text.matchAll(/^```(\S+)(?: file=(\S+)( append)?)?\n([\s\S]*?)\n```$/gm)) {
    const [, language, file, append, block = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    if (language !== 'sh' && file === undefined) {
      throw new Error(`docs/tutorial.md:${line}: a block is a file or lines to type`);
    }
    steps.push({ line, file, append: append !== undefined, text: block });
  }
  return steps;
}
