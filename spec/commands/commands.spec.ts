import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CHECKS, GENERATORS } from './commands.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MOST_SCRIPTS = 20;

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const commands = [...CHECKS, ...GENERATORS].flatMap((group) => group.commands);

async function runCommands(...parameters: string[]): Promise<{ code: number; output: string }> {
  const main = join(import.meta.dirname, 'main.ts');
  const flags = ['--conditions=@listwatch/source', '--import', 'tsx'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, main, ...parameters]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, output: stderr };
  }
}

describe('the scripts of package.json', () => {
  it(`are at most ${MOST_SCRIPTS}, each with a line in CONTRIBUTING.md`, () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const rows = page.split('\n').flatMap((line) => {
      const [, name] = /^\| `npm (?:run )?([a-z:]+)[^`]*` \| \S.* \|$/.exec(line) ?? [];
      return name === undefined ? [] : [name];
    });
    const names = Object.keys(scripts);
    expect(names.length).to.be.at.most(MOST_SCRIPTS);
    expect(names.filter((name) => !rows.includes(name))).to.deep.equal([]);
  });
});

describe('npm run check and npm run generate', () => {
  it('name each program once, each with one line of help', () => {
    const names = commands.map((command) => command.name);
    expect(new Set(names).size).to.equal(names.length);
    for (const { name, about } of commands) {
      expect(name).to.match(/^[a-z]+(-[a-z]+)*$/);
      expect(about, name).to.match(/^\S.{10,88}$/);
    }
  });

  it('have a usage for each program, or one that the program prints for --help', () => {
    const silent = commands.filter(({ start, usage }) => {
      const [, file] = /import\(["'](.+?)["']/.exec(String(start))!;
      const text = readFileSync(join(import.meta.dirname, file!), 'utf8');
      return usage === undefined && !/\bhelp\b|sideBySide/.test(text);
    });
    expect(silent).to.deep.equal([]);
  });

  it('list all names, start a program with its own arguments, and refuse an unknown name', async () => {
    const [checks, generators, own, usage, unknown] = await Promise.all([
      runCommands('check'),
      runCommands('generate'),
      runCommands('check', 'faults', '--help'),
      runCommands('generate', 'wasm', '--help'),
      runCommands('check', 'fault'),
    ]);
    for (const { name, about } of CHECKS.flatMap((group) => group.commands)) {
      expect(checks.output).to.match(new RegExp(`^  ${name} +${about}$`, 'm'));
    }
    expect(generators.output).to.include('\n  wasm ').and.not.include('\n  faults ');
    expect(own.output).to.include('npm run check -- faults').and.include('--help');
    expect(usage.output).to.include('no options');
    expect(unknown.code).to.equal(2);
    expect(unknown.output).to.include('there is no fault; did you mean faults?');
  });
});
