import assert from 'node:assert/strict';
import { encodeContinue } from '../../server/storage/reads/continue-token.ts';
import type { GetListOptions } from '../../server/storage/contract/storage-interface.ts';
import { conformanceKey, conformancePredicate, type ConformancePod } from './conformance-pod.ts';
import { rejection, type ConformanceCase, type StorageUnderTest } from './storage-under-test.ts';

type Options = GetListOptions<ConformancePod>;

const FAR = '4611686018427387904';

/** Makes several writes; returns the names after each write by its resource version. */
async function writeHistory(under: StorageUnderTest): Promise<Map<string, string[]>> {
  const states = new Map<string, string[]>();
  const note = async (resourceVersion: string, names: string[]): Promise<void> => {
    states.set(resourceVersion, names);
  };
  await note((await under.create('a/x')).resourceVersion, ['a/x']);
  await note((await under.create('b/y')).resourceVersion, ['a/x', 'b/y']);
  await note((await under.create('a/z')).resourceVersion, ['a/x', 'a/z', 'b/y']);
  await note((await under.move('a/x', 'n1')).resourceVersion, ['a/x@n1', 'a/z', 'b/y']);
  await note((await under.delete('a/z')).resourceVersion, ['a/x@n1', 'b/y']);
  await note(await under.writeElsewhere(), ['a/x@n1', 'b/y']);
  await note((await under.create('a/z', { nodeName: 'n2' })).resourceVersion, [
    'a/x@n1',
    'a/z@n2',
    'b/y',
  ]);
  await note((await under.delete('b/y')).resourceVersion, ['a/x@n1', 'a/z@n2']);
  return states;
}

async function refuses(under: StorageUnderTest, options: Options, code: string): Promise<void> {
  await rejection(under.storage.getList(conformanceKey(''), options), code);
}

export const listCases: readonly ConformanceCase[] = [
  {
    title: 'lists nothing at a resource version that is not 0',
    upstream: ['RunTestList'],
    check: async ({ storage }) => {
      const { items, resourceVersion, continueToken } = await storage.getList('/registry/pods');
      assert.deepEqual([items, continueToken], [[], undefined]);
      assert.match(resourceVersion, /^[1-9][0-9]*$/);
    },
  },
  {
    title: 'lists the most recent state when no resource version is given',
    upstream: ['RunTestList', 'RunTestConsistentList'],
    check: async (under) => {
      for (const path of ['b/1', 'a/2', 'a-b/3', 'a/1']) await under.create(path);
      await under.move('a/2', 'n1');
      await under.delete('b/1');
      const expected = await under.writeElsewhere();
      const { resourceVersion } = await under.storage.getList(conformanceKey(''));
      assert.equal(resourceVersion, expected);
      assert.deepEqual(await under.names(''), ['a-b/3', 'a/1', 'a/2@n1'], 'in key order');
    },
  },
  {
    title: 'lists a state at least as new as any earlier read',
    upstream: ['RunTestConsistentList'],
    check: async (under) => {
      const { cached } = under.harness;
      const read = async (options: Options): Promise<bigint> => {
        const { resourceVersion } = await under.storage.getList(conformanceKey('none'), options);
        return BigInt(resourceVersion);
      };
      const any = { resourceVersion: '0' };
      const newest = { continueToken: encodeContinue({ startKey: 'a', revision: -1n }, '') };
      await under.create('a/x');
      let current = BigInt(await under.writeElsewhere());
      const early = await read(any);
      assert(cached ? early <= current : early === current, 'any state is one there was');
      for (const options of [{}, newest]) {
        assert.equal(await read(options), current, 'the most recent state is exactly that');
        if (!cached || under.storage.supportsProgress) {
          assert((await read(any)) >= current, 'nothing older follows');
        }
        current = BigInt(await under.writeElsewhere());
      }
    },
  },
  {
    title: 'gives every object its own resource version',
    upstream: ['RunTestList'],
    check: async (under) => {
      const versions = [];
      for (const path of ['a/1', 'a/2', 'a/3'])
        versions.push((await under.create(path)).resourceVersion);
      const { items } = await under.storage.getList(conformanceKey(''));
      assert.deepEqual(
        items.map((item) => item.resourceVersion),
        versions,
      );
      assert.deepEqual(
        items.map((item) => item.metadata.resourceVersion),
        versions,
      );
    },
  },
  {
    title: 'lists exactly the state of each resource version',
    upstream: ['RunTestList', 'RunTestListResourceVersionMatch'],
    check: async (under) => {
      const before = await under.storage.getCurrentResourceVersion();
      const states = await writeHistory(under);
      states.set(before, []);
      for (const [resourceVersion, names] of states) {
        const options: Options = { resourceVersion, resourceVersionMatch: 'Exact' };
        assert.deepEqual(await under.names('', options), names, `at ${resourceVersion}`);
        const inA = names.filter((name) => name.startsWith('a/'));
        assert.deepEqual(await under.names('a/', options), inA, `in a/ at ${resourceVersion}`);
        const list = await under.storage.getList(conformanceKey(''), options);
        assert.equal(list.resourceVersion, resourceVersion);
      }
    },
  },
  {
    title: 'lists a state that is not older than a resource version',
    upstream: ['RunTestList', 'RunTestListResourceVersionMatch'],
    check: async (under) => {
      const created = await under.create('a/x');
      const last = await under.writeElsewhere();
      for (const resourceVersion of [created.resourceVersion, last]) {
        for (const resourceVersionMatch of [undefined, 'NotOlderThan'] as const) {
          const options = { resourceVersion, resourceVersionMatch };
          const list = await under.storage.getList(conformanceKey(''), options);
          assert.equal(list.items.length, 1);
          assert(BigInt(list.resourceVersion) >= BigInt(resourceVersion));
        }
      }
      const any: Options = { resourceVersion: '0' };
      await under.whenShown(1);
      assert.deepEqual(await under.names('', any), ['a/x']);
    },
  },
  {
    title: 'refuses a resource version that is not reached',
    upstream: ['RunTestList'],
    check: async (under) => {
      await under.create('a/x');
      await refuses(under, { resourceVersion: FAR }, 'GATEWAY_TIMEOUT');
      await refuses(
        under,
        { resourceVersion: FAR, resourceVersionMatch: 'NotOlderThan' },
        'GATEWAY_TIMEOUT',
      );
      await refuses(
        under,
        { resourceVersion: FAR, resourceVersionMatch: 'Exact' },
        'GATEWAY_TIMEOUT',
      );
      await refuses(under, { resourceVersion: FAR, limit: 1 }, 'GATEWAY_TIMEOUT');
    },
  },
  {
    title: 'refuses resource versions and match rules that make no sense',
    upstream: ['RunTestList'],
    check: async (under) => {
      for (const resourceVersion of ['-1', 'abc', '01', '1e3']) {
        await refuses(under, { resourceVersion }, 'BAD_REQUEST');
      }
      await refuses(under, { resourceVersionMatch: 'Exact' }, 'BAD_REQUEST');
      await refuses(under, { resourceVersionMatch: 'NotOlderThan' }, 'BAD_REQUEST');
      await refuses(under, { resourceVersion: '0', resourceVersionMatch: 'Exact' }, 'BAD_REQUEST');
      const unknown = { resourceVersion: '1', resourceVersionMatch: 'Sometimes' } as unknown;
      await refuses(under, unknown as Options, 'BAD_REQUEST');
    },
  },
  {
    title: 'says that an exact resource version was compacted, without a token',
    upstream: ['RunTestCompactRevision'],
    check: async (under) => {
      const { versioner } = under.storage;
      const first = await under.create('a/x');
      const second = await under.move('a/x', 'n1');
      const exactly = ({ resourceVersion }: { readonly resourceVersion: string }) =>
        ({ resourceVersion, resourceVersionMatch: 'Exact' }) as const;
      const before = versioner.parseResourceVersion(await under.storage.compactRevision());
      assert(before < BigInt(first.resourceVersion), 'what was just written can be read');
      assert.deepEqual(await under.names('', exactly(first)), ['a/x']);
      await under.compact(second.resourceVersion);
      assert.equal(await under.storage.compactRevision(), second.resourceVersion);
      const list = under.storage.getList(conformanceKey(''), exactly(first));
      const error = await rejection(list, 'EXPIRED');
      assert.deepEqual((error as { status?: { metadata?: unknown } }).status?.metadata, {});
      assert.deepEqual(await under.names('', exactly(second)), ['a/x@n1']);
    },
  },
  {
    title: 'never treats part of a name as a prefix',
    upstream: ['RunTestGetListRecursivePrefix'],
    check: async (under) => {
      for (const path of ['ns/1', 'ns-1/1', 'ns1/1', 'ns/10']) await under.create(path);
      const rules: readonly Options[] = [
        {},
        { resourceVersion: await under.writeElsewhere(), resourceVersionMatch: 'NotOlderThan' },
        { resourceVersion: await under.writeElsewhere(), resourceVersionMatch: 'Exact' },
      ];
      for (const rule of rules) {
        assert.deepEqual(await under.names('ns', rule), ['ns/1', 'ns/10']);
        assert.deepEqual(await under.names('ns/', rule), ['ns/1', 'ns/10']);
        assert.deepEqual(await under.names('ns/1', rule), [], 'below an object there is nothing');
        assert.deepEqual(await under.names('ns/1', { ...rule, recursive: false }), ['ns/1']);
        assert.deepEqual(await under.names('ns/', { ...rule, recursive: false }), []);
        assert.equal((await under.names('', rule)).length, 4);
      }
    },
  },
  {
    title: 'lists a single object, if it is there and matches',
    upstream: ['RunTestGetListNonRecursive'],
    check: async (under) => {
      await under.create('a/x', { nodeName: 'n1' });
      const moved = await under.move('a/x', 'n2');
      const before = (BigInt(moved.resourceVersion) - 1n).toString();
      const single = { recursive: false };
      assert.deepEqual(await under.names('a/x', single), ['a/x@n2']);
      assert.deepEqual(await under.names('a/y', single), []);
      const exact = { ...single, resourceVersion: before, resourceVersionMatch: 'Exact' } as const;
      assert.deepEqual(await under.names('a/x', exact), ['a/x@n1']);
      for (const [node, names] of [
        ['n1', []],
        ['n2', ['a/x@n2']],
      ] as const) {
        const predicate = conformancePredicate({ fields: `spec.nodeName=${node}` });
        assert.deepEqual(await under.names('a/x', { ...single, predicate }), names);
      }
      await rejection(under.names('a/x', { ...single, resourceVersion: FAR }), 'GATEWAY_TIMEOUT');
    },
  },
  {
    title: 'lists what a selector matches',
    upstream: ['RunTestList', 'RunTestNamespaceScopedList'],
    check: async (under) => {
      await under.create('a/1', { labels: { app: 'web' }, nodeName: 'n1' });
      await under.create('a/2', { labels: { app: 'db' }, nodeName: 'n1' });
      await under.create('b/1', { labels: { app: 'web' }, nodeName: 'n2' });
      await under.create('b/2');
      const rows: readonly [
        path: string,
        selectors: { labels?: string; fields?: string },
        names: string[],
      ][] = [
        ['', { labels: 'app=web' }, ['a/1@n1', 'b/1@n2']],
        ['a/', { labels: 'app=web' }, ['a/1@n1']],
        ['', { labels: '!app' }, ['b/2']],
        ['', { labels: 'app in (db,web)', fields: 'spec.nodeName=n1' }, ['a/1@n1', 'a/2@n1']],
        ['', { fields: 'metadata.name=1' }, ['a/1@n1', 'b/1@n2']],
        ['', { fields: 'metadata.namespace!=a' }, ['b/1@n2', 'b/2']],
        ['b/', { fields: 'spec.nodeName=n1' }, []],
      ];
      for (const [path, selectors, names] of rows) {
        const predicate = conformancePredicate(selectors);
        assert.deepEqual(await under.names(path, { predicate }), names, JSON.stringify(selectors));
      }
    },
  },
];
