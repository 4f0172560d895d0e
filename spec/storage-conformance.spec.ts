import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  storageConformanceTopics,
  storageTestsLeftOut,
} from '../lib/conformance/storage/storage-conformance.ts';
import { upstreamStorageTests } from '../lib/conformance/storage/upstream-storage-tests.ts';

const PAGE = new URL('../docs/storage-conformance.md', import.meta.url);

/** The four ways, and the spec file that runs the whole suite so. */
const WAYS = [
  { title: 'embedded, raw', cached: false, spec: 'server/storage/raw-storage-conformance.spec.ts' },
  {
    title: 'embedded, cached',
    cached: true,
    spec: 'server/cacher/cached-storage-conformance.spec.ts',
  },
  { title: 'etcd, raw', cached: false, spec: 'server/etcd/etcd-storage-conformance.spec.ts' },
  { title: 'etcd, cached', cached: true, spec: 'server/etcd/etcd-storage-conformance.spec.ts' },
] as const;

const cases = storageConformanceTopics.flatMap(([topic, ofTopic]) =>
  ofTopic.map((one) => ({ topic, ...one })),
);

type Case = (typeof cases)[number];

function runsIn({ only }: Case, cached: boolean): boolean {
  return only === undefined || (only === 'cached') === cached;
}

/** How many cases of an upstream test run in one of the ways. */
function cell(name: string, cached: boolean): string {
  const all = cases.filter(({ upstream }) => (upstream as readonly string[]).includes(name));
  if (all.length === 0) return '–';
  const count = all.filter((one) => runsIn(one, cached)).length;
  return count === 0 ? '–' : `✓ ${count}`;
}

function noteOf(name: string): string {
  const leftOut = storageTestsLeftOut.find((one) => one.name === name);
  if (leftOut !== undefined) return leftOut.because;
  const all = cases.filter(({ upstream }) => (upstream as readonly string[]).includes(name));
  const notes: string[] = [];
  const raw = all.some((one) => runsIn(one, false));
  const cached = all.some((one) => runsIn(one, true));
  if (!raw) notes.push('a fact about the cache');
  if (!cached) notes.push('a fact about the storage below the cache');
  if (all.some(({ needs }) => needs === 'progress')) {
    notes.push(
      'in part only on an etcd whose progress answers can be trusted (3.4.31, 3.5.13 or later)',
    );
  }
  return notes.join('; ');
}

function page(): string {
  const counts = WAYS.map(({ cached }) => cases.filter((one) => runsIn(one, cached)).length);
  return `# Storage conformance

The suite that every storage of kube-apiserver has to pass has ${upstreamStorageTests.length} run-functions (apiserver pkg/storage/testing @ 24a394e). Each is held
here by one or more cases of \`describeStorage\`, exported from \`listwatch/conformance\`: ${cases.length} cases, run four ways in every build. A number says
how many cases stand for the function in that way; all of them pass, or the build is red. The two columns of etcd run on each etcd
found on PATH or in LISTWATCH_ETCD; the build brings 3.4.23 and 3.5.30.

${WAYS.map(({ title, spec }, index) => `- **${title}**: ${counts[index]} cases, [\`spec/${spec}\`](../spec/${spec})`).join('\n')}

| upstream | ${WAYS.map(({ title }) => title).join(' | ')} | note |
|---|${WAYS.map(() => ':-:').join('|')}|---|
${upstreamStorageTests.map((name) => `| \`${name}\` | ${WAYS.map(({ cached }) => cell(name, cached)).join(' | ')} | ${noteOf(name)} |`).join('\n')}

## The cases

${storageConformanceTopics.map(([topic, ofTopic]) => `**${topic}**\n\n${ofTopic.map(({ title, only }) => `- ${title}${only === undefined ? '' : ` (${only})`}`).join('\n')}`).join('\n\n')}
`;
}

describe('the storage conformance page', () => {
  it('gives each of the upstream functions a case in at least one way, or a reason', () => {
    for (const name of upstreamStorageTests) {
      const ways = WAYS.map(({ cached }) => cell(name, cached));
      const because = storageTestsLeftOut.find((one) => one.name === name)?.because ?? '';
      expect(ways.some((way) => way !== '–') || because.length > 20, name).to.equal(true);
    }
  });

  it('names spec files that run the whole suite', () => {
    for (const { spec } of WAYS) {
      const text = readFileSync(new URL(spec, import.meta.url), 'utf8');
      expect(text, spec).to.match(/describeStorage\(/);
    }
  });

  it('is what the cases say (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page());
    expect(readFileSync(PAGE, 'utf8')).to.equal(page());
  });
});
