import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { plainPrograms } from './support/plain-programs.ts';
import { shareOf } from './support/share.ts';
import { HANG_MS } from './support/until.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SCRATCH = join(ROOT, '.tmp', 'docs');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  /** The name under which the page says to save it; other blocks import it by that name. */
  readonly name: string | undefined;
  readonly text: string;
}

/** Its blocks are the projects of `npm run check -- adopt`. */
const OF_PROJECTS = 'bundles-and-test-runners.md';

function pages(): string[] {
  const guides = join(ROOT, 'docs', 'guides');
  const found = existsSync(guides)
    ? readdirSync(guides).filter((name) => name.endsWith('.md') && name !== OF_PROJECTS)
    : [];
  const moving = ['client-node', 'controller-runtime', 'kopf'].map((name) =>
    join(ROOT, 'docs', `from-${name}.md`),
  );
  return [join(ROOT, 'README.md'), ...moving, ...found.map((name) => join(guides, name))];
}

function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open:
    | { language: string; name: string | undefined; line: number; lines: string[] }
    | undefined;
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (open === undefined) {
      const fence = /^```(\S*)(?: (\S+))?/.exec(text);
      if (fence !== null) {
        open = { language: fence[1]!, name: fence[2], line: index + 1, lines: [] };
      }
    } else if (text === '```') {
      const { lines, ...rest } = open;
      blocks.push({ file, ...rest, text: lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(text);
    }
  }
  return blocks;
}

/** Shell lines that a page has for its reader, and the spec that types them. */
const TYPED_BY: Readonly<Record<string, string>> = {
  'npx listwatch rbac --manifests manifests --for 20s --service-account site-operator -- node --import tsx main.ts':
    'spec/cli/rbac/rbac-command.spec.ts',
  'npm install listwatch': 'spec/package/package.spec.ts',
  'npm ci && npm start': 'spec/examples/quickstart.spec.ts',
  'npm ci && npm test': 'spec/docs.spec.ts',
  'npx listwatch doctor': 'spec/cli/doctor/doctor-sample.spec.ts',
  'npm start -- --keep': 'spec/examples/quickstart.spec.ts',
  'npx listwatch envtest-assets bin/envtest': 'spec/cli/envtest/assets-command.spec.ts',
  'npx listwatch types crds.yaml --out src/custom-resources.ts':
    'spec/cli/types/types-command.spec.ts',
  'npx listwatch types crds.yaml --out src/custom-resources.ts --check':
    'spec/cli/types/types-command.spec.ts',
};

const blocks = pages().flatMap(blocksOf);
const where = ({ file, line }: Block): string => `${relative(ROOT, file)}:${line}`;

const LANGUAGES = ['ts', 'js'];
const written = blocks.filter(({ language }) => LANGUAGES.includes(language));
const isOfReadme = ({ file }: Block): boolean => file === join(ROOT, 'README.md');
/** Those of README, and a share of those of the guides: a process each. */
const programs: readonly Block[] = [
  ...written.filter(isOfReadme),
  ...shareOf(
    written.filter((block) => !isOfReadme(block)),
    3,
  ),
];
/** The kind of blocks for a runner that is not installed here. */
const ELSEWHERE = 'typescript';

/** Programs that run side by side; one waits for its server or a timer while others start. */
const AT_A_TIME = 4;

function scriptOf(block: Block): string {
  if (block.name !== undefined) return join(SCRATCH, basename(block.file, '.md'), block.name);
  const ending = block.language === 'js' ? 'mjs' : 'ts';
  return join(SCRATCH, `block-${blocks.indexOf(block)}.${ending}`);
}

function writeScript(block: Block): void {
  // A reader gives up sooner than a busy machine is done.
  const text = block.text.replaceAll('timeoutMs: 10_000', `timeoutMs: ${HANG_MS}`);
  mkdirSync(dirname(scriptOf(block)), { recursive: true });
  writeFileSync(scriptOf(block), `${text}\n`);
}

/** Each program writes its files in a folder of its own, as several run at once; it has the examples there that it reads. */
async function run(program: string): Promise<{ readonly stdout: string }> {
  const cwd = mkdtempSync(join(SCRATCH, 'run-'));
  symlinkSync(join(ROOT, 'examples'), join(cwd, 'examples'));
  const isSpec = /from ["']mocha["']/.test(readFileSync(program, 'utf8'));
  const args = isSpec
    ? [MOCHA, '--no-config', '--no-package', '--timeout', String(HANG_MS), program]
    : [program];
  return await promisify(execFile)(process.execPath, args, { cwd, timeout: HANG_MS });
}

describe('README and guides', () => {
  /** The outcome of each program. */
  const runs = new Map<Block, PromiseSettledResult<{ readonly stdout: string }>>();

  before(async function () {
    // Each program has a time limit of its own.
    this.timeout(0);
    mkdirSync(SCRATCH, { recursive: true });
    written.forEach(writeScript);
    const place = await plainPrograms(programs.map(scriptOf), join(SCRATCH, 'plain'));
    const left = programs.values();
    const inTurn = async (): Promise<void> => {
      for (const block of left) {
        runs.set(block, (await Promise.allSettled([run(place(scriptOf(block)))]))[0]);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, inTurn));
  });

  after(() => {
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  for (const [index, block] of blocks.entries()) {
    if (!LANGUAGES.includes(block.language)) continue;
    const next = blocks[index + 1];
    const output = next?.file === block.file && next.language === 'text' ? next.text : undefined;
    if (programs.includes(block)) {
      it(`the code at ${where(block)} runs as written`, () => {
        const result = runs.get(block)!;
        if (result.status === 'rejected') throw result.reason;
        if (output !== undefined) expect(result.value.stdout.trim()).to.equal(output.trim());
      });
    }
    if (block.language === 'ts') continue;
    it(`the code at ${where(block)} is JavaScript that Node 20 takes as it stands`, async () => {
      // Node 24 knows `using`, and the program is run by a compiler that knows it too.
      expect(block.text).to.not.match(/\busing\s+\w/);
      await promisify(execFile)(process.execPath, ['--check', scriptOf(block)]);
    });
  }

  it('say on each page how a block is run', () => {
    const silent = new Set(
      written
        .filter(
          ({ file }) => !/\bnode \w+\.mjs|npx tsx block\.mts/.test(readFileSync(file, 'utf8')),
        )
        .map(({ file }) => relative(ROOT, file)),
    );
    expect([...silent]).to.deep.equal([]);
  });

  it('show no loop that keeps the processor busy', () => {
    const busy = written.filter(({ text }) => /setImmediate|queueMicrotask|nextTick/.test(text));
    expect(busy.map(where)).to.deep.equal([]);
  });

  it('have only commands that a spec runs', () => {
    const untested = blocks
      .filter((block) => block.language === 'sh')
      .flatMap((block) => block.text.split('\n').map((text) => ({ text: text.trim(), block })))
      .filter(({ text }) => text !== '' && !text.startsWith('#'))
      .filter(({ text }) => !existsSync(join(ROOT, TYPED_BY[text.replace(/ +#.*$/, '')] ?? 'none')))
      .map(({ text, block }) => `${where(block)}: ${text}`);
    expect(untested).to.deep.equal([]);
  });

  it('shows configuration only where a spec connects by it', () => {
    const shown = blocks.filter((block) => block.language === 'yaml').map((block) => block.file);
    // spec/client/connect/connect-guide.spec.ts
    expect([...new Set(shown)].map((file) => relative(ROOT, file))).to.deep.equal([
      'docs/guides/connect.md',
      // spec/production-guide.spec.ts
      'docs/guides/production.md',
    ]);
  });

  it('uses no kind of block that is not checked', () => {
    const kinds = new Set(blocks.map((block) => block.language));
    expect(
      [...kinds].filter(
        (kind) => ![...LANGUAGES, ELSEWHERE, 'text', 'sh', 'yaml', 'python', ''].includes(kind),
      ),
    ).to.deep.equal([]);
    const elsewhere = blocks.filter(({ language }) => language === ELSEWHERE);
    expect(elsewhere.filter(({ text }) => !/from 'vitest(\/config)?'/.test(text))).to.deep.equal(
      [],
    );
  });
});
