import { expect } from 'chai';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { EMPTY_TABLE } from '../../../lib/controller/sharding/slot-table.ts';
import { TableHistory, type ReadTable } from '../../../lib/controller/sharding/table-history.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const WAIT_MS = 15_000;

describe('The tables that a member has seen', () => {
  let world: VirtualRuntime;
  let history: TableHistory;

  beforeEach(() => {
    world = new VirtualRuntime();
    history = new TableHistory(new LeaseClock(world));
  });

  const at = (change: number, uid: string = 'one'): ReadTable => ({
    uid,
    table: { ...EMPTY_TABLE, change },
  });
  const read = (change: number, uid?: string) => history.read(at(change, uid), WAIT_MS);

  it('are good as long as each goes on from the last one', () => {
    expect([read(3), read(3), read(7)]).to.deep.equal(['good', 'good', 'good']);
  });

  it('are waited for when one goes back, and that is reported once', async () => {
    read(7);
    expect([read(5), read(5), read(9)]).to.deep.equal(['back', 'waiting', 'waiting']);
    await world.advance(WAIT_MS - 1);
    expect(read(9)).to.equal('waiting');
    await world.advance(1);
    expect(read(9)).to.equal('good');
  });

  it('include those that it has written itself', () => {
    read(7);
    history.wrote(at(8));
    expect(read(7)).to.equal('back');
  });

  it('wait again when one goes back twice', async () => {
    read(7);
    read(5);
    await world.advance(10_000);
    expect(read(4)).to.equal('back');
    await world.advance(10_000);
    expect(read(4)).to.equal('waiting');
    await world.advance(5000);
    expect(read(4)).to.equal('good');
  });

  it('are waited for when another takes the place of one that was not seen to be missing', async () => {
    read(7);
    expect(read(9, 'two')).to.equal('back');
    await world.advance(WAIT_MS);
    expect(read(9, 'two')).to.equal('good');
  });

  it('are good when there was none for as long as each member needs to notice', async () => {
    read(7);
    history.missing();
    await world.advance(WAIT_MS);
    history.missing();
    expect(read(0, 'two')).to.equal('good');
  });

  it('wait for the rest of that time otherwise', async () => {
    read(7);
    history.missing();
    await world.advance(10_000);
    expect(read(0, 'two')).to.equal('waiting');
    await world.advance(5000);
    expect(read(0, 'two')).to.equal('good');
  });
});
