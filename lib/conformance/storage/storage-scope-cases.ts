import assert from 'node:assert/strict';
import { conformanceKey, conformancePredicate } from './conformance-pod.ts';
import type { ConformanceCase, StorageUnderTest } from './storage-under-test.ts';
import { StorageWatchProbe } from './storage-watch-probe.ts';
import type { UpstreamStorageTest } from './upstream-storage-tests.ts';

/** The options of a list or watch, from which the expected result is computed without selector code. */
interface Row {
  /** Relative to the prefix; a namespace ends with a slash. */
  readonly path: string;
  readonly recursive: boolean;
  readonly fields: string;
}

/** One pod at one moment; undefined if it does not exist. */
type State = { readonly node: string } | undefined;

const SELECTORS = [
  '',
  'metadata.name=foo',
  'metadata.name!=foo',
  'metadata.name=foo,spec.nodeName=n1',
  'metadata.name!=foo,spec.nodeName!=n1',
  'spec.nodeName=n1',
  'spec.nodeName!=n1',
  'spec.nodeName=n1,spec.nodeName!=n1',
];
const NAMESPACE_SELECTORS = [
  'metadata.namespace=t1',
  'metadata.namespace!=t1',
  'metadata.namespace=t1,metadata.name=foo',
  'metadata.namespace=t1,spec.nodeName=n1',
  'metadata.namespace=t2,metadata.name=foo,spec.nodeName=n1',
];

function rowsOf(paths: readonly string[], selectors: readonly string[]): Row[] {
  return paths.flatMap((path) =>
    selectors.map((fields) => ({ path, recursive: path === '' || path.endsWith('/'), fields })),
  );
}

const namespacedRows = rowsOf(['', 't1/', 't1/foo'], [...SELECTORS, ...NAMESPACE_SELECTORS]);
const clusterRows = rowsOf(['', 'foo'], SELECTORS);

function selects({ path, recursive, fields }: Row, pod: string, state: State): boolean {
  if (state === undefined || !(recursive ? pod.startsWith(path) : pod === path)) return false;
  const slash = pod.indexOf('/');
  const values: Readonly<Record<string, string>> = {
    'metadata.name': pod.slice(slash + 1),
    'metadata.namespace': pod.slice(0, Math.max(0, slash)),
    'spec.nodeName': state.node,
  };
  return fields
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [field = '', value] = term.split(/!?=/);
      return term.includes('!=') !== (values[field] === value);
    });
}

function describeState(pod: string, state: State): string {
  return state === undefined || state.node === '' ? pod : `${pod}@${state.node}`;
}

/** One change of a pod: the node to which it is moved, or undefined for a deletion. */
type Step = readonly [pod: string, to: string | undefined];

function stepsOf(pods: readonly [string, string, string, string]): readonly Step[] {
  const [foo, bar, otherFoo, otherBar] = pods;
  return [
    [foo, ''],
    [bar, 'n1'],
    [otherFoo, 'n1'],
    [otherBar, ''],
    [foo, 'n1'],
    [foo, 'n1-other'],
    [bar, 'n2'],
    [otherBar, 'n1'],
    [bar, 'n1'],
    [foo, undefined],
    [otherFoo, undefined],
    [foo, 'n1'],
  ];
}

async function take(under: StorageUnderTest, [pod, to]: Step, before: State): Promise<void> {
  if (to === undefined) await under.delete(pod);
  else if (before !== undefined) await under.move(pod, to);
  else await under.create(pod, to === '' ? {} : { nodeName: to });
}

/** The events of a step for a watch of the row. */
function eventOf(row: Row, pod: string, before: State, after: State): string[] {
  const [was, is] = [selects(row, pod, before), selects(row, pod, after)];
  if (is) return [`${was ? 'MODIFIED' : 'ADDED'} ${describeState(pod, after)}`];
  return was ? [`DELETED ${describeState(pod, before)}`] : [];
}

function describeRow({ path, fields }: Row): string {
  return `${path === '' ? 'everything' : path} with "${fields}"`;
}

/** Checks a watch of every row while the steps are carried out. */
async function checkWatches(
  under: StorageUnderTest,
  rows: readonly Row[],
  steps: readonly Step[],
): Promise<void> {
  const resourceVersion = await under.storage.getCurrentResourceVersion();
  const watches: { readonly row: Row; readonly probe: StorageWatchProbe; expected: string[] }[] =
    [];
  for (const row of rows) {
    const predicate = conformancePredicate({ fields: row.fields });
    const options = { resourceVersion, predicate, recursive: row.recursive };
    const watch = await under.storage.watch(conformanceKey(row.path), options);
    const probe = new StorageWatchProbe(watch, under.harness.runtime);
    watches.push({ row, probe, expected: [] });
  }
  const states = new Map<string, State>();
  for (const step of steps) {
    const [pod, to] = step;
    const before = states.get(pod);
    const after = to === undefined ? undefined : { node: to };
    await take(under, step, before);
    states.set(pod, after);
    for (const watch of watches) watch.expected.push(...eventOf(watch.row, pod, before, after));
  }
  for (const { row, probe, expected } of watches) {
    for (const line of expected) await probe.expectNamed(describeRow(row), line);
  }
  await Promise.all(watches.map(({ probe }) => probe.expectSilence()));
}

/** Checks lists of every row after the steps, of the newest state and of any state. */
async function checkLists(
  under: StorageUnderTest,
  rows: readonly Row[],
  steps: readonly Step[],
): Promise<void> {
  const states = new Map<string, State>();
  for (const step of steps) {
    const [pod, to] = step;
    await take(under, step, states.get(pod));
    states.set(pod, to === undefined ? undefined : { node: to });
  }
  const pods = [...states.keys()].toSorted();
  for (const row of rows) {
    const expected = pods
      .filter((pod) => selects(row, pod, states.get(pod)))
      .map((pod) => describeState(pod, states.get(pod)));
    const predicate = conformancePredicate({ fields: row.fields });
    const options = { predicate, recursive: row.recursive };
    assert.deepEqual(await under.names(row.path, options), expected, describeRow(row));
  }
}

function scopeCase(
  title: string,
  upstream: UpstreamStorageTest,
  check: (under: StorageUnderTest) => Promise<void>,
): ConformanceCase {
  return { title, upstream: [upstream], check };
}

const namespaced = stepsOf(['t1/foo', 't1/bar', 't2/foo', 't1-more/bar']);
const clusterScoped = stepsOf(['foo', 'bar', 'foo-more', 'baz']);

export const scopeCases: readonly ConformanceCase[] = [
  scopeCase(
    'lists what scope and selector say, over namespaces',
    'RunTestNamespaceScopedList',
    (under) => checkLists(under, namespacedRows, namespaced),
  ),
  scopeCase(
    'watches what scope and selector say, over namespaces',
    'RunTestNamespaceScopedWatch',
    (under) => checkWatches(under, namespacedRows, namespaced),
  ),
  scopeCase(
    'watches what scope and selector say, without namespaces',
    'RunTestClusterScopedWatch',
    (under) => checkWatches(under, clusterRows, clusterScoped),
  ),
];
