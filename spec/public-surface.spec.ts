import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PublicSurface } from './support/declarations/public-surface.ts';

const ROOT = resolve(import.meta.dirname, '..');
const REPORTS = join(ROOT, 'docs', 'api');
const STABILITY = join(ROOT, 'docs', 'stability.md');
const SCRATCH = join(ROOT, '.tmp', 'public-surface');
/** Other packages that public declarations name; each is a dependency of every user. */
const NAMED_PACKAGES = ['eventemitter3'];

/**
 * Types that users get and pass on without a look inside, or that only the package calls: `builtInKinds` is a `KindSet`, and
 * `serveInspector({ server })` takes an `ApiServer`.
 */
const MADE_INSIDE: ReadonlySet<string> = new Set([
  'ResourceClientOptions',
  'KindSet',
  'RestClient',
  'WriteObserver',
  'InspectedServer',
  'InspectedWorkloads',
  'UsageTexts',
  'ControllerParts',
  'ReceivedObjects',
  'HeldLeaseOptions',
  'ObjectReader',
  'StoreTransaction',
  'StorageGuard',
]);

/** Names behind all entries but the generated one, and as many as a user can look through. */
const MOST_NAMES = 815;

/** Its declarations are in `lib/types/built-in`, and need no second copy. */
const GENERATED = 'listwatch/types';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly '@listwatch/source': string }>>;
}

/** Sources of the entry points by name, e.g. `listwatch/cache`. */
function sources(): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const found = new Map<string, string>();
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'string')
      found.set(`listwatch${entry.slice(1)}`, target['@listwatch/source']);
  }
  return found;
}

function reportName(entry: string): string {
  return `${entry.replaceAll('/', '-')}.md`;
}

function reportOf(surface: PublicSurface, entry: string): string {
  const { values, types } = surface.namesOf(entry);
  if (entry === GENERATED) {
    return `# ${entry}\n\nGenerated types, by name; each is also in the namespace of its group and version.\n\n${types.map((name) => `- ${name}`).join('\n')}\n`;
  }
  return `# ${entry}

${values.length} values and ${types.length} types, without their comments. \`LISTWATCH_UPDATE_DOCS=1 npx mocha spec/public-surface.spec.ts\` rewrites this file; what
changes here changes for users.

\`\`\`ts
${surface.report(entry)}
\`\`\`
`;
}

/** Names in a row of the table of experimental names; the report of an entry marks more. */
const MOST_LISTED = 12;

function experimentalTable(surface: PublicSurface): string {
  const rows = surface.entries.flatMap((entry) => {
    const marked = surface.experimental(entry);
    if (marked.length === 0) return [];
    const { values, types } = surface.namesOf(entry);
    const count = values.length + types.length;
    const list = marked.map((name) => `\`${name}\``).join(', ');
    const some = marked.length > MOST_LISTED ? `${marked.length} of ${count} names` : list;
    return [`| \`${entry}\` | ${marked.length === count ? 'all names' : some} |`];
  });
  return `| entry | experimental |\n|---|---|\n${rows.join('\n')}\n`;
}

describe('the public surface', () => {
  let surface: PublicSurface;

  before(async function () {
    // The compiler takes seconds on a quiet machine; only a hang reaches this.
    this.timeout(600_000);
    rmSync(SCRATCH, { recursive: true, force: true });
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const only = ['--emitDeclarationOnly', '--declarationMap', 'false', '--outDir', SCRATCH];
    await promisify(execFile)(tsc, ['-p', join(ROOT, 'lib'), ...only]);
    const declarations = [...sources()].map(([entry, source]): [string, string] => [
      entry,
      join(SCRATCH, source.replace('./lib/', '').replace(/\.ts$/, '.d.ts')),
    ]);
    surface = new PublicSurface(SCRATCH, new Map(declarations), MADE_INSIDE);
  });

  function namesOf(entry: string): string[] {
    const { values, types } = surface.namesOf(entry);
    return [...values, ...types];
  }

  after(() => {
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  for (const [entry, source] of sources()) {
    it(`of ${entry} is what docs/api/${reportName(entry)} lists`, () => {
      const report = reportOf(surface, entry);
      const path = join(REPORTS, reportName(entry));
      if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') {
        mkdirSync(REPORTS, { recursive: true });
        writeFileSync(path, report);
      }
      expect(report).to.equal(readFileSync(path, 'utf8'));
    });

    it(`of ${entry} has the values at run time that it declares`, async function () {
      this.timeout(600_000);
      const names = Object.keys((await import(join(ROOT, source))) as object);
      expect(names.toSorted()).to.deep.equal(surface.namesOf(entry).values);
    });
  }

  it('is experimental where docs/stability.md says so', () => {
    const [begin, end] = ['<!-- experimental: begin -->\n', '<!-- experimental: end -->'];
    const text = readFileSync(STABILITY, 'utf8');
    const [before = '', rest = ''] = text.split(begin);
    const [, after = ''] = rest.split(end);
    const page = `${before}${begin}\n${experimentalTable(surface)}\n${end}${after}`;
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(STABILITY, page);
    expect(page).to.equal(readFileSync(STABILITY, 'utf8'));
    expect(surface.experimental('listwatch/simulator')).to.include('simulate');
    expect(surface.experimental('listwatch/client')).to.not.include('connect');
  });

  it('has a report for each entry, and no other file beside them', () => {
    expect(readdirSync(REPORTS).toSorted()).to.deep.equal(
      surface.entries.map(reportName).toSorted(),
    );
  });

  it('exports every type that its signatures name, by one entry or another', () => {
    const found = surface.unreachable();
    const missing = found.filter((text) => !MADE_INSIDE.has(text.split(' ')[0]!));
    expect(missing).to.deep.equal([]);
  });

  it('leaves types closed that no entry exports, and that would open others', () => {
    const exported = new Set(surface.entries.flatMap(namesOf));
    expect([...MADE_INSIDE].filter((name) => exported.has(name))).to.deep.equal([]);
    const idle = [...MADE_INSIDE].filter((name) => {
      const others = new Set([...MADE_INSIDE].filter((other) => other !== name));
      return surface.unreachable(others).every((text) => others.has(text.split(' ')[0]!));
    });
    expect(idle).to.deep.equal([]);
  });

  it(`has at most ${MOST_NAMES} names, counted in each entry that has them`, () => {
    const counted = surface.entries.filter((entry) => entry !== GENERATED);
    expect(counted.flatMap(namesOf).length).to.be.at.most(MOST_NAMES);
  });

  it('has no name with two meanings', () => {
    expect(surface.ambiguous(new Set([GENERATED]))).to.deep.equal([]);
  });

  it(`names types of no other package than ${NAMED_PACKAGES.join(', ')}`, () => {
    surface.unreachable();
    expect([...surface.externals].filter((name) => !name.startsWith('node:'))).to.deep.equal(
      NAMED_PACKAGES,
    );
  });

  it('of listwatch is 40 to 65 values, what the author of a controller uses', () => {
    expect(surface.namesOf('listwatch').values.length).to.be.within(40, 65);
  });
});
