import { expect } from 'chai';
import {
  IDLE,
  IN_WORK,
  IN_WORK_AND_ADDED,
  KeyTable,
  WAITING,
} from '../../../../lib/controller/workqueue/keys/key-table.ts';

describe('KeyTable', () => {
  it('gives each key a slot of its own, in which it is idle', () => {
    const table = new KeyTable<string>();
    for (let index = 0; index < 1_000; index += 1) {
      const slot = table.insert(`k${index}`);
      expect([slot, table.stateAt(slot), table.addedAtMs(slot)]).to.deep.equal([
        index,
        IDLE,
        undefined,
      ]);
      table.setState(slot, WAITING);
    }
    expect(table.size).to.equal(1_000);
    for (const index of [0, 255, 256, 999]) {
      const slot = table.slotOf(`k${index}`) as number;
      expect([table.keyAt(slot), table.stateAt(slot)]).to.deep.equal([`k${index}`, WAITING]);
    }
    expect(table.slotOf('k1000')).to.equal(undefined);
  });

  it('uses the slot of a forgotten key again', () => {
    const table = new KeyTable<string>();
    for (const key of ['a', 'b', 'c']) table.insert(key);
    table.forget(1);
    expect([table.size, table.slotOf('b')]).to.deep.equal([2, undefined]);
    expect([table.insert('d'), table.insert('b')]).to.deep.equal([1, 3]);
    const keys = [0, 1, 2, 3].map((slot) => table.keyAt(slot));
    expect(keys).to.deep.equal(['a', 'd', 'c', 'b']);
  });

  describe('with numbered keys', () => {
    it('finds a key by its number, and by itself', () => {
      const table = new KeyTable<string>();
      for (let index = 0; index < 200; index += 1) table.insert(`k${index}`, 199 - index);
      for (const index of [0, 63, 64, 199]) {
        expect(table.slotOf(`k${index}`, 199 - index)).to.equal(index);
        expect(table.slotOf(`k${index}`)).to.equal(index);
      }
    });

    it('finds a key whose number was unknown, wrong or another key’s', () => {
      const table = new KeyTable<string>();
      for (const key of ['a', 'b', 'c']) table.insert(key);
      expect(table.slotOf('c', 7)).to.equal(2);
      expect(table.slotOf('b', 7)).to.equal(1);
      expect(table.slotOf('b', 1000)).to.equal(1);
      expect(table.slotOf('d', 7)).to.equal(undefined);
    });

    it('does not take the key that has the slot of a forgotten one', () => {
      const table = new KeyTable<string>();
      table.insert('a', 5);
      table.forget(0);
      expect(table.slotOf('a', 5)).to.equal(undefined);
      table.insert('b');
      expect(table.slotOf('a', 5)).to.equal(undefined);
    });
  });

  it('keeps the note of a key until it is taken or the key is forgotten', () => {
    const table = new KeyTable<string>();
    for (let index = 0; index < 100; index += 1) table.insert(`k${index}`);
    table.setNote(70, 'first');
    table.setNote(71, 'second');
    expect([table.noteAt(70), table.noteAt(0)]).to.deep.equal(['first', undefined]);
    const copy = new KeyTable<string>();
    expect(copy.noteAt(copy.copy(table, 70))).to.equal('first');
    expect([table.takeNote(70), table.takeNote(70)]).to.deep.equal(['first', undefined]);
    table.forget(71);
    expect(table.noteAt(table.insert('again'))).to.equal(undefined);
  });

  it('copies all that is known of a key', () => {
    const from = new KeyTable<string>();
    for (const key of ['a', 'b', 'c']) from.insert(key);
    from.setState(1, IN_WORK);
    from.setState(2, IN_WORK_AND_ADDED);
    from.noteAdded(2, 42);
    const table = new KeyTable<string>();
    expect([table.copy(from, 2), table.copy(from, 1)]).to.deep.equal([0, 1]);
    expect([table.keyAt(0), table.stateAt(0), table.addedAtMs(0)]).to.deep.equal([
      'c',
      IN_WORK_AND_ADDED,
      42,
    ]);
    expect([table.keyAt(1), table.stateAt(1), table.addedAtMs(1)]).to.deep.equal([
      'b',
      IN_WORK,
      undefined,
    ]);
    expect([table.size, table.slotOf('a'), table.slotOf('c')]).to.deep.equal([2, undefined, 0]);
  });

  it('knows keys by the rules of Map, the odd ones too', () => {
    const table = new KeyTable<unknown>();
    const keys = [undefined, NaN, 0, '__proto__', null];
    for (const key of keys) table.insert(key);
    expect([undefined, NaN, -0, '__proto__', null].map((key) => table.slotOf(key))).to.deep.equal([
      0, 1, 2, 3, 4,
    ]);
    table.forget(table.slotOf(undefined) as number);
    expect([table.slotOf(undefined), table.size]).to.deep.equal([undefined, 4]);
  });
});
