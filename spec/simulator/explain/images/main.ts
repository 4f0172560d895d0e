/**
 * `npm run generate -- simulate-images`: the timelines of `docs/guides/simulate.md`: one small controller for each of Sieve's patterns, as its page
 * shows what was found. Any complaint of the browser's console fails it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SimulationOptions } from '../../../../lib/simulator/contract/simulation-options.ts';
import { simulate } from '../../../../lib/simulator/simulate.ts';
import { palettePng } from '../../../inspector/images/palette-png.ts';
import { Browser } from '../../../inspector/support/browser.ts';
import {
  createOnce,
  deletesByName,
  deleteSlowly,
  missesDeletion,
  recreate,
  twoWrites,
} from '../../support/toys.ts';

const IMAGES = resolve(import.meta.dirname, '../../../../docs/images');
const LARGEST_BYTES = 130_000;

const TIMELINES: Readonly<Record<string, SimulationOptions>> = {
  'intermediate-state': { controllers: [twoWrites({ fixed: false })], workload: createOnce },
  'stale-state': { controllers: [deletesByName({ fixed: false })], workload: recreate },
  'unobserved-state': { controllers: [missesDeletion({ fixed: false })], workload: deleteSlowly },
};

mkdirSync(IMAGES, { recursive: true });
for (const [name, options] of Object.entries(TIMELINES)) {
  const { failures } = await simulate({ ...options, onFailure: 'return' });
  const [failure] = failures;
  if (failure === undefined) throw new Error(`${name}: nothing was found`);
  await using browser = await Browser.start({ width: 1000, height: 700 });
  await browser.page.setContent(failure.html);
  const png = palettePng(await browser.page.screenshot({ fullPage: true }));
  if (png.length > LARGEST_BYTES) throw new Error(`${name} has ${png.length} bytes`);
  if (browser.complaints.length > 0) throw new Error(`${name}: ${browser.complaints.join('; ')}`);
  writeFileSync(join(IMAGES, `timeline-${name}.png`), png);
  console.log(`timeline-${name}.png: ${png.length} bytes; ${failure.findings[0]?.message}`);
}
