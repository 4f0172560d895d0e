import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { cellsOf } from '../../../lib/kinds/cells/built-in-cells.ts';
import { oddObjects } from './odd-objects.ts';

/** A row of kube-apiserver 1.37.2 and its object; written by `record-cells.ts`. */
interface Recorded {
  readonly resource: string;
  readonly cells: readonly unknown[];
  readonly object: KubernetesObject;
}

const AGE = /^(?:\d+[smhdy])+$/;

const recorded = readFileSync(join(import.meta.dirname, 'recorded-cells.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

/** Ages depend on when the row was made. */
function withoutAges(cells: readonly unknown[]): unknown[] {
  return cells.map((cell) => (typeof cell === 'string' && AGE.test(cell) ? '{age}' : cell));
}

describe('the cells of built-in kinds', () => {
  for (const { resource, cells, object } of recorded) {
    const [first = '', second = '', third] = resource.split('/');
    const described =
      third === undefined ? { group: '', resource: second } : { group: first, resource: third };
    it(`of ${resource} ${object.metadata?.name} are those of kube-apiserver`, () => {
      const nowMs = Date.parse(String(object.metadata?.creationTimestamp)) + 1000;
      const made = cellsOf(described)(object, nowMs);
      expect(withoutAges(made)).to.deep.equal(withoutAges(cells));
    });
  }

  it('are recorded for every odd object', () => {
    expect(recorded).to.have.length(oddObjects.length);
  });
});
