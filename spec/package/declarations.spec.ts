import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect } from 'chai';
import { PublicSurface } from '../support/declarations/public-surface.ts';
import { entriesOf, readManifest, ROOT } from './manifest.ts';
import { filesBelow, pack, run, unpack } from './packed-package.ts';

/** Below the checkout, so that the package finds its dependencies as an installed one would. */
const CONSUMER = join(ROOT, '.tmp', 'declarations-consumer');
const INSTALLED = join(CONSUMER, 'node_modules', 'listwatch');
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

describe('the declarations of the packed package', function () {
  this.timeout(600_000);
  let files: readonly string[] = [];
  const entries = entriesOf(readManifest());

  before(async () => {
    rmSync(CONSUMER, { recursive: true, force: true });
    mkdirSync(CONSUMER, { recursive: true });
    await unpack(await pack(CONSUMER), INSTALLED);
    files = filesBelow(INSTALLED);
    writeFileSync(join(CONSUMER, 'package.json'), '{ "type": "module" }');
  });

  after(() => {
    rmSync(CONSUMER, { recursive: true, force: true });
  });

  function publicSurface(): PublicSurface {
    return new PublicSurface(
      INSTALLED,
      new Map([...entries].map(([entry, { types }]) => [entry, join(INSTALLED, types)])),
    );
  }

  it('name the values that the entries have at run time, and no others', async () => {
    const surface = publicSurface();
    const script = [...entries.keys()].map((entry) => `import('${entry}').then(Object.keys)`);
    const program = `console.log(JSON.stringify(await Promise.all([${script.join(', ')}])));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: CONSUMER,
    });
    const declared = surface.entries.map((entry) => [...surface.namesOf(entry).values]);
    expect(declared).to.deep.equal((JSON.parse(stdout) as string[][]).map((one) => one.toSorted()));
  });

  it('are few files: those of the entries, shared chunks, and the built-in kinds', () => {
    const declarations = files.filter((name) => name.endsWith('.d.ts'));
    const allowed = new Set([...entries.values()].map(({ types }) => normalize(types)));
    const others = declarations.filter(
      (name) => !allowed.has(name) && !/^dist\/(?:chunks|types)\//.test(name),
    );
    expect(others).to.deep.equal([]);
    expect(declarations.length).to.be.lessThan(100);
  });

  it('keep their doc comments', () => {
    const text = files
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => readFileSync(join(INSTALLED, name), 'utf8'))
      .join('\n');
    const classes = text.match(/^(?:export )?declare (?:abstract )?class /gm) ?? [];
    const commented = text.match(/\*\/\n(?:export )?declare (?:abstract )?class /g) ?? [];
    expect(classes.length).to.be.greaterThan(50);
    expect(commented.length / classes.length).to.be.greaterThan(0.9);
  });

  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    it(`have what two entries export once, for moduleResolution ${moduleResolution}`, async () => {
      const surface = publicSurface();
      const homes = new Map<string, number>();
      const lines = surface.entries.map((entry, index) => `import * as e${index} from '${entry}';`);
      for (const [index, entry] of surface.entries.entries()) {
        for (const name of surface.namesOf(entry).values) {
          const home = homes.get(name);
          if (home === undefined) homes.set(name, index);
          else
            lines.push(
              `export const a${lines.length}: typeof e${home}.${name} = e${index}.${name};`,
            );
        }
      }
      expect(lines.length).to.be.greaterThan(30);
      const folder = join(CONSUMER, `once-${moduleResolution}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'once.ts'), lines.join('\n'));
      const compilerOptions = {
        target: 'es2023',
        module,
        moduleResolution,
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        types: ['node'],
      };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['once.ts'] }),
      );
      await run(TSC, ['-p', folder]);
    });
  }
});
