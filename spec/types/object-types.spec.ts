import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAMS = join(import.meta.dirname, 'programs');
/** Outside of the folders whose files other specs list and read at the same time. */
const SCRATCH = join(ROOT, '.tmp', 'object-types');
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');
const PACKAGES = [
  '@kubernetes/client-node',
  'kubernetes-models',
  'kubernetes-types',
  'listwatch/types',
];
/** This package, which has no folder in `node_modules`. */
const OWN = 'listwatch/types';

/** The messages of the compiler about the programs of a project, line by line. */
async function complaints(project: string): Promise<string[]> {
  try {
    await promisify(execFile)(TSC, ['-p', project]);
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.trim().split('\n');
  }
}

const installed = PACKAGES.filter((name) => name !== OWN).every((name) =>
  existsSync(join(import.meta.dirname, 'node_modules', name)),
);

/**
 * The programs assert with `SameType` that a type was inferred, and with `@ts-expect-error` that a wrong use is refused: the
 * compiler reports such a line when it compiles. They hold no cast.
 */
describe('types of objects from other packages', function () {
  // Compiles the whole package; only a hang reaches this.
  this.timeout(600_000);

  let lines: readonly string[] = [];

  before(async function () {
    if (installed) {
      lines = await complaints(import.meta.dirname);
      return;
    }
    console.log(
      '      skipped: run "npm ci --prefix spec/types" for the packages whose types are checked',
    );
    this.skip();
  });

  const compiles = (name: string, part: string): void => {
    const program = `${name === OWN ? 'listwatch-types' : name.replace(/^.*\//, '')}-${part}.ts`;
    expect(readFileSync(join(PROGRAMS, program), 'utf8')).to.include(`from '${name}`);
    expect(lines.filter((line) => line.includes(program))).to.deep.equal([]);
  };

  for (const name of PACKAGES) {
    it(`are inferred by informers, listers, clients and handlers, and wrong uses refused: ${name}`, () => {
      compiles(name, 'objects');
    });

    it(`are those of a controller with indexes, listers, reconciles, apply and status: ${name}`, () => {
      compiles(name, 'controller');
    });
  }

  it('compile without a complaint about anything else', () => {
    expect(lines).to.deep.equal([]);
  });

  it('are used without a cast', () => {
    for (const file of readdirSync(PROGRAMS)) {
      const code = readFileSync(join(PROGRAMS, file), 'utf8')
        .replaceAll(/\/\*\*[^]*?\*\/|\/\/.*/g, '')
        .replaceAll(/import (?:type )?\{[^}]*\}/g, '');
      expect(code, file).not.to.match(/\bas\b|\bany\b(?!:|,|\])|[\w)\]]!(?!=)/);
      expect(readFileSync(join(PROGRAMS, file), 'utf8')).not.to.match(/@ts-(?:ignore|nocheck)/);
    }
  });

  it('are compared exactly: a program that asserts another type does not compile', async () => {
    mkdirSync(SCRATCH, { recursive: true });
    const settings = {
      extends: join(import.meta.dirname, 'tsconfig.json'),
      include: ['wrong-on-purpose.ts'],
    };
    writeFileSync(join(SCRATCH, 'tsconfig.json'), JSON.stringify(settings));
    writeFileSync(
      join(SCRATCH, 'wrong-on-purpose.ts'),
      `import { holds, type SameType } from ${JSON.stringify(join(PROGRAMS, 'same-type.ts'))};\nholds<SameType<string, unknown>>();\n`,
    );
    try {
      const lines = await complaints(SCRATCH);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(/wrong-on-purpose\.ts.*TS2344/);
    } finally {
      rmSync(SCRATCH, { recursive: true });
    }
  });
});
