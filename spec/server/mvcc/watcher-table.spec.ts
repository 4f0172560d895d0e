import { expect } from 'chai';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import { orderedForm } from '../../../lib/server/mvcc/contract/ordered-form.ts';
import { concerns, WatcherTable, type Interest } from '../../../lib/server/mvcc/watcher-table.ts';

interface Named {
  readonly name: string;
  readonly interest: Interest;
}

function watcher(name: string, start: string, end?: string): Named {
  const interest = {
    start: orderedForm(start),
    end: end === undefined ? undefined : orderedForm(end),
  };
  return { name, interest };
}

function found(table: WatcherTable<Named>, key: string): string[] {
  const names: string[] = [];
  table.forKey(key, ({ name }) => names.push(name));
  return names.toSorted();
}

describe('WatcherTable', () => {
  it('finds a long range after a short one before it has gone', () => {
    const table = new WatcherTable<Named>();
    const short = watcher('short', 'a', 'b');
    const long = watcher('long', 'c', 'z');
    for (const one of [short, long, watcher('late', 'd', 'e')]) table.add(one);
    expect(found(table, 'x')).to.deep.equal(['long']);
    table.delete(short);
    expect(found(table, 'x')).to.deep.equal(['long']);
    table.delete(long);
    expect(found(table, 'x')).to.deep.equal([]);
  });

  it('keeps a range that another watcher of it still wants', () => {
    const table = new WatcherTable<Named>();
    const [first, second] = [watcher('first', 'a', 'c'), watcher('second', 'a', 'c')];
    const [one, other] = [watcher('one', 'b'), watcher('other', 'b')];
    for (const each of [first, second, one, other]) table.add(each);
    table.delete(first);
    table.delete(one);
    expect(found(table, 'b')).to.deep.equal(['other', 'second']);
    expect([...table].map(({ name }) => name)).to.deep.equal(['other', 'second']);
    table.delete(second);
    table.delete(other);
    expect(found(table, 'b')).to.deep.equal([]);
    expect([...table]).to.deep.equal([]);
  });

  it('finds what a search of all watchers finds, through random additions and deletions', () => {
    const random = seededRandom('watcher-table');
    const letter = (): string => String.fromCharCode(97 + randomInteger({ random }, 0, 15));
    const table = new WatcherTable<Named>();
    let model: Named[] = [];
    for (let step = 0; step < 3000; step += 1) {
      if (random() < 0.5 && model.length < 30) {
        const [low = 'a', high = 'a'] = [letter(), letter()].toSorted();
        const one = watcher(`w${step}`, low, low === high ? undefined : high);
        table.add(one);
        model.push(one);
      } else if (model.length > 0) {
        const gone = model[randomInteger({ random }, 0, model.length - 1)];
        if (gone !== undefined) table.delete(gone);
        model = model.filter((one) => one !== gone);
      }
      const key = letter();
      const expected = model.filter(({ interest }) => concerns(interest, key));
      expect(found(table, key)).to.deep.equal(expected.map(({ name }) => name).toSorted());
    }
  });
});

describe('concerns', () => {
  it('takes the start of a range and leaves its end out', () => {
    const { interest } = watcher('range', 'b', 'd');
    const inside = ['a', 'b', 'c', 'cz', 'd'].filter((key) => concerns(interest, key));
    expect(inside).to.deep.equal(['b', 'c', 'cz']);
  });

  it('takes one key where there is no end', () => {
    const { interest } = watcher('single', 'b');
    expect(['a', 'b', 'ba'].filter((key) => concerns(interest, key))).to.deep.equal(['b']);
  });
});
