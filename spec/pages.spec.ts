import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { CHECKS, GENERATORS } from './commands/commands.ts';
import { filesBelow } from './support/files-below.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** They name the scripts of projects that `listwatch new` makes. */
const OF_PROJECTS = /^lib\/cli\/new\/|^spec\/(cli\/new|new-project)\//;
const INDEX = 'docs/README.md';
const WORKFLOW = '.github/workflows/test.yml';

const WORKFLOWS = readdirSync(join(ROOT, '.github', 'workflows')).map(
  (name) => `.github/workflows/${name}`,
);

interface Manifest {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: { readonly 'persist-credentials'?: boolean };
}

interface Matrix {
  readonly node?: readonly number[];
  readonly os?: readonly string[];
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: Matrix };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: { readonly push?: { readonly tags?: readonly string[] } };
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** As paths from the root of the repository. */
function filesIn(folder: string, ending: string): string[] {
  return filesBelow(join(ROOT, folder), ending).map((path) => relative(ROOT, path));
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const workflow = parse(read(WORKFLOW)) as Workflow;
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...['docs', 'lib', 'spec', 'examples'].flatMap((folder) => filesIn(folder, '.md')),
];

/** Names of scripts in a text. */
function scriptsIn(text: string): string[] {
  const named = Array.from(text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g), ([, name]) => name!);
  const short = Array.from(text.matchAll(/\bnpm (test|start)\b/g), ([, name]) => name!);
  return [...named, ...short];
}

/** Programs of `npm run check` and `npm run generate` that a text says to run. */
function commandsIn(text: string): string[] {
  const named = text.matchAll(/\bnpm run (?:-s )?(?:check|generate) -- ([a-z][a-z-]*)/g);
  return Array.from(named, ([, name]) => name!);
}

/** Links to files of the repository, in text and as pictures, without those to pages that its host has beside the tree. */
function linksIn(text: string): string[] {
  const links = text.matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, target]) => target!.replace(/#.*$/, '')).filter(
    (target) => target !== '' && !/^(?:[a-z]+:|\.\.\/\.\.\/security\/)/.test(target),
  );
}

describe('the pages', () => {
  it('link to files that exist', () => {
    const broken = pages.flatMap((page) =>
      linksIn(read(page))
        .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name scripts that package.json has, and programs that they start; so does the code', () => {
    const code = ['lib', 'spec', 'examples'].flatMap((folder) => filesIn(folder, '.ts'));
    const texts = [
      ...pages,
      ...WORKFLOWS,
      '.ci/run',
      ...code.filter((file) => !OF_PROJECTS.test(file)),
    ];
    const programs = new Set(
      [...CHECKS, ...GENERATORS].flatMap((group) => group.commands.map(({ name }) => name)),
    );
    const unknown = texts.flatMap((file) => {
      const text = read(file);
      const scripts = scriptsIn(text).filter((name) => manifest.scripts[name] === undefined);
      const commands = commandsIn(text).filter((name) => !programs.has(name));
      return [...scripts, ...commands].map((name) => `${file}: ${name}`);
    });
    expect(unknown).to.deep.equal([]);
  });

  it('are found from the index, which README links to: every guide, and every page of docs and of the top', () => {
    const linked = new Set(linksIn(read(INDEX)).map((target) => join(dirname(INDEX), target)));
    const expected = pages.filter(
      (page) => /^docs\/(guides\/)?[^/]+\.md$/.test(page) || !page.includes('/'),
    );
    const wanted = [...expected, 'docs/decisions/README.md', 'docs/api'].filter(
      (page) => page !== 'README.md' && page !== INDEX,
    );
    expect(wanted.filter((page) => !linked.has(page))).to.deep.equal([]);
    expect(linksIn(read('README.md'))).to.include(INDEX);
  });

  it('have the figures of README where its rows link to', () => {
    const rows = read('README.md').matchAll(/^\| \[[^\]]*\]\(([^)#]+)[^)]*\)[^|]*\|(.*)\|$/gm);
    const figures = Array.from(rows, ([, page = '', cells = '']) =>
      (cells.match(/\d[\d.,]*\d|\d/g) ?? []).map((figure) => ({ page, figure })),
    ).flat();
    expect(figures.length).to.be.greaterThan(15);
    const missing = figures.filter(({ page, figure }) => {
      const text = read(page).replaceAll(/[^\d.,]+/g, ' ');
      return !text.split(' ').some((one) => one.replace(/[.,]+$/, '') === figure);
    });
    expect(missing).to.deep.equal([]);
  });

  it('have an index of decisions that lists each of them', () => {
    const folder = 'docs/decisions';
    const linked = linksIn(read(`${folder}/README.md`)).map((target) => `${folder}/${target}`);
    const decisions = pages.filter((page) => dirname(page) === folder);
    expect(linked.toSorted()).to.deep.equal(
      decisions.filter((page) => page !== `${folder}/README.md`).toSorted(),
    );
  });

  for (const page of pages.filter((one) => /^docs\/decisions\/(?!README)/.test(one))) {
    it(`say in ${relative('docs/decisions', page)} what the context, the decision and the rest are`, () => {
      const headings = Array.from(read(page).matchAll(/^## (.*)$/gm), ([, heading]) => heading);
      expect(headings).to.deep.equal([
        'Context',
        'Decision',
        'Consequences',
        'Measured',
        'Alternatives',
      ]);
    });
  }
});

describe(WORKFLOW, () => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('runs the whole suite on the oldest supported Node and on those after it', () => {
    const { strategy, steps: done } = workflow.jobs['test']!;
    expect(strategy?.matrix.node).to.deep.equal([20, 22, 24, 26]);
    expect(manifest.engines.node).to.equal('>=20.19');
    const commands = done.map(({ run }) => run);
    expect(commands).to.include.members(['npm ci', 'npm test', 'npm start', 'npm run build']);
  });

  it('runs the specs of the client on Windows and macOS, and only such that exist', () => {
    const { strategy, steps: done } = workflow.jobs['client']!;
    expect(strategy?.matrix.os?.join()).to.match(/^windows-\d+,macos-\d+$/);
    const commands = done.map(({ run = '' }) => run);
    expect(commands).to.include('npm start');
    const folders = commands.flatMap((run) =>
      Array.from(run.matchAll(/"(spec\/[^"*]+)\/[*][^"]*"/g), ([, folder]) => folder!),
    );
    expect(folders).to.include.members(['spec/cache', 'spec/controller', 'spec/client/rest']);
    expect(folders.filter((folder) => filesIn(folder, '.spec.ts').length === 0)).to.deep.equal([]);
  });

  it('compares the traces of all simulated controllers on each version of Node', () => {
    expect(steps.map(({ run }) => run)).to.include(
      'npm run check -- package-runtimes --all-traces',
    );
  });

  it('may read the repository and nothing else', () => {
    expect(jobs.filter(({ permissions }) => permissions !== undefined)).to.deep.equal([]);
  });

  it('searches the corpus and the examples with 1,000 seeds each', () => {
    const searches = steps.flatMap(({ run = '' }) => (run.includes(' simulate-') ? [run] : []));
    const seeds = searches.flatMap((search) => /--(?:fixed-)?seeds \d+/.exec(search) ?? []);
    expect(seeds).to.include.members(['--fixed-seeds 1000', '--seeds 1000']);
    expect(searches.join('\n')).to.include('--version wrong');
  });
});

describe('each workflow', () => {
  for (const file of WORKFLOWS) {
    const jobs = Object.values((parse(read(file)) as Workflow).jobs);

    it(`takes actions by commit, with the version beside it: ${file}`, () => {
      const lines = read(file)
        .split('\n')
        .filter((line) => /\buses:/.test(line));
      expect(lines).not.to.deep.equal([]);
      const pinned = /^ +- uses: (?:actions|ossf)\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
      expect(lines.filter((line) => !pinned.test(line))).to.deep.equal([]);
    });

    it(`may read the repository and keeps no credentials, and ends in bounded time: ${file}`, () => {
      expect((parse(read(file)) as Workflow).permissions).to.deep.equal({ contents: 'read' });
      const checkouts = jobs
        .flatMap((job) => job.steps)
        .filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const checkout of checkouts) {
        expect(checkout.with?.['persist-credentials']).to.equal(false);
      }
      for (const job of jobs) expect(job['timeout-minutes']).to.be.at.most(30);
    });
  }
});

describe('.github/workflows/release.yml', () => {
  const { on, jobs } = parse(read('.github/workflows/release.yml')) as Workflow;
  const commandsOf = (job: string): string[] =>
    jobs[job]!.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  it('runs for a tag, and first of all checks that it may be released', () => {
    expect(on).to.deep.equal({ push: { tags: ['v*'] } });
    expect(commandsOf('pack')).to.deep.equal([
      'npm ci',
      'npm run check -- release --tag "$GITHUB_REF_NAME"',
      'npm test',
      'npm run check -- release --tag "$GITHUB_REF_NAME" --out release',
    ]);
  });

  it('publishes with a provenance, in a job that runs no code of the repository or its packages', () => {
    const { needs, permissions } = jobs['publish']!;
    expect({ needs, permissions }).to.deep.equal({
      needs: 'pack',
      permissions: { contents: 'write', 'id-token': 'write' },
    });
    const [publish, release, ...others] = commandsOf('publish');
    expect(publish).to.equal('npm publish ./release/*.tgz --provenance --access public');
    expect(release).to.match(/^gh release create .* release\/\*\.tgz release\/sbom\.cdx\.json$/);
    expect(others).to.deep.equal([]);
    expect(jobs['publish']!.steps.some(({ uses }) => uses?.includes('checkout'))).to.equal(false);
  });
});
