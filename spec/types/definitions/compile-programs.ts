import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { entriesOf, readManifest, ROOT } from '../../package/manifest.ts';

const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

/**
 * Writes programs into a folder and compiles them there under `strict`, against this package.
 * @returns what the compiler says, line by line; empty if they compile.
 */
export async function compilePrograms(
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<string[]> {
  const files: Record<string, string> = {
    ...programs,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
        declaration: false,
        noUnusedLocals: false,
        isolatedDeclarations: false,
        paths: Object.fromEntries(
          [...entriesOf(readManifest())].map(([entry, target]) => [
            entry,
            [join(ROOT, target['@listwatch/source'])],
          ]),
        ),
      },
      include: ['*.ts'],
      exclude: [],
    }),
  };
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  try {
    await promisify(execFile)(TSC, ['-p', folder], { maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout.trim().split('\n');
  }
}
