import { rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps child processes out of a coverage report: they write to a folder of their own, which goes at the end. Node has read the
 * variable for this process already. A child may run the same files in another form (mocha requires them as CommonJS, unless tsx
 * is loaded for modules only), and c8 has one source map for a file, so that its counts would be put on the wrong lines.
 */
const folder = process.env['NODE_V8_COVERAGE'];
// Floors are those of all cases: see `shareOf`.
process.env['LISTWATCH_WHOLE'] = '1';
if (folder !== undefined) {
  const ofChildren = join(folder, '..', 'children');
  process.env['NODE_V8_COVERAGE'] = ofChildren;
  process.on('exit', () => {
    rmSync(ofChildren, { recursive: true, force: true });
  });
}
