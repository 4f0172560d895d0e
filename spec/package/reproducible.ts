/** `npm run check -- reproducible`: the commit, packed in two folders, is one tarball to the byte. */
import { join } from 'node:path';
import { ROOT } from './manifest.ts';
import { packTwice } from './pack-twice.ts';
import { exitWithoutRegistry } from './packed-package.ts';

await exitWithoutRegistry('reproducible');
const { tarball, integrity } = await packTwice(join(ROOT, '.tmp', 'reproduced'));
console.log(`${tarball}, packed twice: ${integrity}`);
