import { expect } from 'chai';
import { deepFreeze } from '../../../lib/kernel/data/deep-freeze.ts';
import { thrownMessage } from '../../../lib/kernel/failure/frozen-remedy.ts';

interface Item {
  name?: string;
  other?: string;
  list: string[];
}

function thrownBy(change: (item: Item) => void): string {
  try {
    change(deepFreeze<Item>({ name: 'a', list: ['b', 'a'] }));
  } catch (error) {
    return thrownMessage(error);
  }
  return 'nothing was thrown';
}

describe('The message of an error of user code', () => {
  const changes: readonly [string, (item: Item) => void][] = [
    ['sets a field', (item) => (item.name = 'b')],
    ['adds a field', (item) => (item.other = 'b')],
    ['deletes a field', (item) => delete item.name],
    ['defines a field', (item) => Object.defineProperty(item, 'name', { value: 'b' })],
    ['adds to a list', (item) => item.list.push('c')],
    ['changes a list', (item) => (item.list[0] = 'c')],
  ];
  for (const [what, change] of changes) {
    it(`says that cached objects are frozen, and where to read on, for a statement that ${what}`, () => {
      expect(thrownBy(change)).to.match(
        /^(Cannot|Attempt|Unable).*structuredClone\(object\); see docs\/guides\/objects\.md/,
      );
    });
  }

  for (const thrown of [undefined, null]) {
    it(`asks for an Error when ${thrown} was thrown`, () => {
      expect(thrownMessage(thrown)).to.equal(`${thrown} was thrown; throw an Error that says why`);
    });
  }

  it('says nothing of it for other errors', () => {
    expect(thrownMessage(new TypeError('x is not a function'))).to.equal('x is not a function');
    expect(thrownMessage(new Error('is not extensible'))).to.equal('is not extensible');
  });
});
