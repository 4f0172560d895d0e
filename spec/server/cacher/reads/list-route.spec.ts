import { expect } from 'chai';
import { routeList } from '../../../../lib/server/cacher/reads/cache-delegator.ts';
import { encodeContinue } from '../../../../lib/server/storage/reads/continue-token.ts';
import type { GetListOptions } from '../../../../lib/server/storage/contract/storage-interface.ts';
import { apiObjectVersioner } from '../../../../lib/server/storage/contract/versioner.ts';
import { PREFIX, type Pod } from '../cacher-harness.ts';

const token = (revision: bigint): string =>
  encodeContinue({ startKey: `${PREFIX}b\0`, revision }, PREFIX);
const EXACT = { resourceVersionMatch: 'Exact' } as const;
const NOT_OLDER = { resourceVersionMatch: 'NotOlderThan' } as const;
const startKey = `${PREFIX}b\0`;

function route(options: GetListOptions<Pod>, recursive = true): unknown {
  return routeList({ path: PREFIX, recursive }, options, apiObjectVersioner);
}

describe('routeList', () => {
  const cases: readonly (readonly [string, GetListOptions<Pod>, unknown])[] = [
    ['no version: the latest', {}, { source: 'latest', startKey: undefined }],
    [
      'no version with a limit: the latest',
      { limit: 5 },
      { source: 'latest', startKey: undefined },
    ],
    ['version 0: anything', { resourceVersion: '0' }, { source: 'cache', revision: 0n }],
    [
      'version 0 with a limit: anything',
      { resourceVersion: '0', limit: 5 },
      { source: 'cache', revision: 0n },
    ],
    ['version N: not older than N', { resourceVersion: '7' }, { source: 'cache', revision: 7n }],
    [
      'version N with a limit: exactly N',
      { resourceVersion: '7', limit: 5 },
      { source: 'exact', revision: 7n, startKey: undefined },
    ],
    [
      'not older than N with a limit',
      { resourceVersion: '7', limit: 5, ...NOT_OLDER },
      { source: 'cache', revision: 7n },
    ],
    [
      'exactly N',
      { resourceVersion: '7', ...EXACT },
      { source: 'exact', revision: 7n, startKey: undefined },
    ],
    [
      'a next page: the state of its token',
      { continueToken: token(9n) },
      { source: 'exact', revision: 9n, startKey },
    ],
    [
      'a next page with version 0',
      { continueToken: token(9n), resourceVersion: '0' },
      { source: 'exact', revision: 9n, startKey },
    ],
    [
      'a next page at the newest state',
      { continueToken: token(-1n) },
      { source: 'latest', startKey },
    ],
    ['a match without a version: refused by the storage', NOT_OLDER, { source: 'storage' }],
    [
      'exactly 0: refused by the storage',
      { resourceVersion: '0', ...EXACT },
      { source: 'storage' },
    ],
    [
      'a next page with a version: refused by the storage',
      { continueToken: token(9n), resourceVersion: '7' },
      { source: 'storage' },
    ],
    [
      'a next page with a match: refused by the storage',
      { continueToken: token(9n), ...NOT_OLDER },
      { source: 'storage' },
    ],
  ];
  for (const [title, options, expected] of cases) {
    it(`routes ${title}`, () => {
      expect(route(options)).to.deep.equal(expected);
    });
  }

  it('leaves past states and pages of a single object to the storage', () => {
    expect(route({ resourceVersion: '7', ...EXACT }, false)).to.deep.equal({ source: 'storage' });
    expect(route({ continueToken: token(9n) }, false)).to.deep.equal({ source: 'storage' });
    expect(route({ resourceVersion: '7' }, false)).to.deep.equal({ source: 'cache', revision: 7n });
  });

  it('refuses a version that is not a number, and an invalid token', () => {
    expect(() => route({ resourceVersion: 'soon' })).to.throw('soon');
    expect(() => route({ continueToken: 'x' })).to.throw('invalid continue token');
  });

  it('leaves a token with any version to the storage, which names the token first', () => {
    const storage = route({ continueToken: 'x', resourceVersion: '5' });
    expect(route({ continueToken: 'x', resourceVersion: 'soon' })).to.deep.equal(storage);
  });
});
