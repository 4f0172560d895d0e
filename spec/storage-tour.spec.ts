import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const DOCS = resolve(import.meta.dirname, '..', 'docs');
const PAGE = readFileSync(join(DOCS, 'storage-tour.md'), 'utf8');

/** What the three posts name, as the page writes it. */
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

function missingIn({ symbol, target }: Link): string[] {
  const file = join(DOCS, target);
  if (!existsSync(file)) return [`${target} does not exist`];
  const text = readFileSync(file, 'utf8');
  return symbol
    .split('.')
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
    .map((name) => `${target} has no ${name} (${symbol})`);
}

describe('the storage tour', () => {
  it('points at files and symbols that exist', () => {
    expect(LINKS.length).to.be.at.least(60);
    expect(LINKS.flatMap(missingIn)).to.deep.equal([]);
  });

  it('names every system of the posts', () => {
    expect(SYSTEMS.filter((name) => !PAGE.includes(`**${name}**`))).to.deep.equal([]);
  });
});
