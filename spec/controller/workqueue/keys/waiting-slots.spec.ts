import { expect } from 'chai';
import { TaskClock } from '../../../../lib/controller/workqueue/keys/task-clock.ts';
import { WaitingSlots } from '../../../../lib/controller/workqueue/keys/waiting-slots.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';

describe('WaitingSlots', () => {
  function slotsWith(prioritised: number): WaitingSlots {
    const slots = new WaitingSlots(new TaskClock(new VirtualRuntime()), 10_000);
    for (let slot = 0; slot < prioritised; slot += 1) slots.push(slot, -1);
    while (slots.size > 0) slots.shift();
    slots.rest();
    return slots;
  }

  it('gives up the lanes of many slots when the queue rests', () => {
    const slots = slotsWith(1_000);
    slots.push(7, 0);
    expect(slots.enteredAtMs(7)).to.equal(undefined);
  });

  it('keeps the lanes of a few slots when the queue rests, as they may soon be needed again', () => {
    const slots = slotsWith(3);
    slots.push(7, 0);
    expect(slots.enteredAtMs(7)).to.be.a('number');
  });

  it('takes by priority again after a rest', () => {
    const slots = slotsWith(1_000);
    for (const [slot, priority] of [
      [1, 0],
      [2, 5],
      [3, 0],
      [4, 5],
    ] as const) {
      slots.push(slot, priority);
    }
    expect([slots.shift(), slots.shift(), slots.shift(), slots.shift()]).to.deep.equal([
      2, 4, 1, 3,
    ]);
  });
});
