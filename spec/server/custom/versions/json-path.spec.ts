import { expect } from 'chai';
import { compileJsonPath } from '../../../../lib/server/custom/versions/json-path.ts';

const object = {
  metadata: { labels: { 'app.io/name': 'web', plain: 'x' } },
  spec: { replicas: 3, list: ['a', 'b', 'c'], map: { one: 1, two: 2 } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 5 },
      { type: 'Synced', status: 'False', weight: 7 },
    ],
  },
};

describe('compileJsonPath', () => {
  for (const [path, found] of [
    ['.spec.replicas', [3]],
    ['.spec.missing.deeper', []],
    ['.metadata.labels.app\\.io/name', ['web']],
    [".metadata.labels['app.io/name']", ['web']],
    ['.metadata.labels["plain"]', ['x']],
    ['.spec.list[0]', ['a']],
    ['.spec.list[-1]', ['c']],
    ['.spec.list[9]', []],
    ['.spec.list[*]', ['a', 'b', 'c']],
    ['.spec.map[*]', [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Synced')].status", ['False']],
    ['.status.conditions[?(@.weight==7)].type', ['Synced']],
    ['.status.conditions[?(@.type == "Ready")].weight', [5]],
    ['.spec.__proto__', []],
    ['.spec.constructor', []],
  ] as const) {
    it(`follows ${path}`, () => {
      expect(compileJsonPath(path)?.(object)).to.deep.equal(found);
    });
  }

  for (const path of [
    'spec',
    '.spec[',
    '.spec[?(@.a>1)]',
    '.a..b',
    '.a[1',
    '{.a}',
    `.${'a'.repeat(2000)}`,
  ]) {
    it(`does not understand ${path.slice(0, 20)}`, () => {
      expect(compileJsonPath(path)).to.equal(undefined);
    });
  }

  // Backtracking over all ways to divide them would not come to an end.
  it('refuses a hostile path', () => {
    for (const path of [`.a[?(@${'.a'.repeat(400)}`, `[?(@${' '.repeat(900)}`, '['.repeat(1000)]) {
      expect(compileJsonPath(path), path.slice(0, 20)).to.equal(undefined);
    }
  });
});
