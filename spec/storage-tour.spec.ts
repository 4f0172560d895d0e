import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { parseSync } from 'oxc-parser';
import { VirtualRuntime } from '../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../lib/server/mvcc/embedded-key-value-store.ts';
import { apiRequest, readAll } from './server/api/support.ts';

const DOCS = resolve(import.meta.dirname, '..', 'docs');
const PAGE = readFileSync(join(DOCS, 'storage-tour.md'), 'utf8');

/** The names of the three posts, as the page writes them. */
const SYSTEMS: readonly string[] = [
  'Transformer',
  'Versioner',
  'resourceVersion',
  'Scheme',
  'Codec',
  'minimum resource version',
  'conditional delete',
  'preconditions',
  'validateDeletion',
  'GuaranteedUpdate',
  'no-op',
  'ttl',
  'RESTStorage',
  'StatusREST',
  'DeploymentStorage',
  'RegistryStore',
  'DryRun',
  'Storage.Interface',
  'StorageWithCacher',
  'CacherStorage',
  'Reflector',
  'CacheWatcher',
  'watchersMap',
  'WatchCache',
  'optimistic lock',
  'sliding window',
  'UnderlyingStorage',
  'Strategy',
  'Store',
  'ThreadSafeStore',
  'Indexers',
];

interface Link {
  readonly symbol: string;
  readonly target: string;
}

const LINKS: readonly Link[] = Array.from(
  PAGE.matchAll(/\[`([^`]+)`\]\(([^)]+)\)/g),
  ([, symbol = '', target = '']) => ({ symbol, target }),
);

interface Declaration {
  readonly type: string;
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly Declaration[];
  readonly body?: { readonly body?: readonly Member[] } | null;
}

interface Member {
  readonly key?: { readonly name?: string };
}

/** The declarations of a file, each name with its members; imports and re-exports are not among them. */
function declaredIn(file: string): ReadonlyMap<string, ReadonlySet<string>> {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  const declared = new Map<string, ReadonlySet<string>>();
  for (const statement of program.body) {
    const exported =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    const outer = exported as unknown as Declaration | null;
    for (const { id, body } of outer?.declarations ?? (outer === null ? [] : [outer])) {
      const members = Array.isArray(body?.body) ? body.body : [];
      const names = members.map(({ key }: Member) => key?.name ?? '');
      if (id?.name !== undefined) declared.set(id.name, new Set(names));
    }
  }
  return declared;
}

/** The fault of a link, or undefined: it has to lead to the file that declares the symbol. */
function wrongIn({ symbol, target }: Link): string[] {
  const file = join(DOCS, target);
  if (!existsSync(file)) return [`${target} does not exist`];
  const [name = '', member] = symbol.split('.');
  const members = declaredIn(file).get(name);
  if (members === undefined) return [`${target} does not declare ${name}`];
  if (member === undefined || members.has(member)) return [];
  return [`${name} in ${target} has no member ${member}`];
}

describe('the storage tour', () => {
  it('points at the files that declare the symbols, and at members that exist', () => {
    expect(LINKS.length).to.be.at.least(60);
    expect(LINKS.flatMap(wrongIn)).to.deep.equal([]);
  });

  it('would notice a link to a file that only imports the name, and a member that is gone', () => {
    const target = '../lib/server/registry/rest-storages.ts';
    for (const [symbol, wrong] of [
      ['StatusREST.get', undefined],
      ['ScaleREST', `${target} does not declare ScaleREST`],
      ['StatusREST.list', `StatusREST in ${target} has no member list`],
    ] as const) {
      expect(wrongIn({ symbol, target })).to.deep.equal(wrong === undefined ? [] : [wrong]);
    }
  });

  it('is right that the server reads JSON and protobuf, and nothing else', async () => {
    const runtime = new VirtualRuntime();
    const store = new EmbeddedKeyValueStore({ runtime });
    const server = new ApiServer({ keyValueStore: store, runtime });
    const path = '/api/v1/namespaces/default/configmaps/a';
    const encoded = {
      json: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}',
      yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n',
      protobuf: 'k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x05\x0a\x03\x0a\x01a',
    };
    const reasons: Record<string, unknown> = {};
    for (const [encoding, text] of Object.entries(encoded)) {
      const value = Buffer.from(text, 'latin1');
      const put = { type: 'put', key: '/registry/configmaps/default/a', value } as const;
      await store.txn({ compare: [], success: [put] });
      const { status, body } = await runtime.run(server.handler(apiRequest('GET', path)));
      const { reason } = JSON.parse(await runtime.run(readAll(body))) as { reason?: string };
      reasons[encoding] = reason ?? status;
    }
    await runtime.run(server.close());
    expect(reasons).to.deep.equal({
      json: 200,
      yaml: 'StorageReadError',
      protobuf: 200,
    });
  });

  it('names every system of the posts', () => {
    expect(SYSTEMS.filter((name) => !PAGE.includes(`**${name}**`))).to.deep.equal([]);
  });
});
