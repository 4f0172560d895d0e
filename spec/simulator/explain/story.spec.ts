import { expect } from 'chai';
import { chosenLines } from '../../../lib/simulator/explain/story.ts';
import type { StoryLine } from '../../../lib/simulator/explain/story-lines.ts';

function line(atMs: number, rest: Partial<StoryLine> = {}): StoryLine {
  return { atMs, actor: 'kubelet', kind: 'event', text: `sees pods default/p-${atMs}`, ...rest };
}

/** A hundred lines of no interest, with some others in place of them. */
function linesWith(others: Readonly<Record<number, Partial<StoryLine>>>): readonly StoryLine[] {
  return Array.from({ length: 100 }, (_, place) => line(place, others[place]));
}

const TOPIC = { processes: ['shops'], subjects: ['secrets default/a'] };

function notified(lines: readonly StoryLine[], most: number): string[] {
  return chosenLines(lines, TOPIC, most).map(({ atMs, actor, text }) =>
    actor === '…' ? text : String(atMs),
  );
}

describe('the lines of a long story', () => {
  it('are all shown when there is room', () => {
    const lines = linesWith({});
    expect(chosenLines(lines, TOPIC, 100)).to.equal(lines);
  });

  it('have the steps, the faults and the crashes, and say how many are left out between', () => {
    const lines = linesWith({
      0: { kind: 'step' },
      40: { kind: 'fault' },
      99: { kind: 'crash' },
    });
    expect(notified(lines, 3)).to.deep.equal([
      '0',
      '39 lines are left out',
      '40',
      '58 lines are left out',
      '99',
    ]);
  });

  it('have what was decided by an old cache before what is next to a fault', () => {
    const lines = linesWith({ 40: { kind: 'fault' }, 70: { stale: 'an older version' } });
    expect(notified(lines, 2)).to.include.members(['40', '70']);
    expect(notified(lines, 4)).to.include.members(['32', '33', '40', '70']);
  });

  it('have writes about the findings, and then what the processes with faults did', () => {
    const lines = linesWith({
      10: { kind: 'commit', text: 'secrets default/a is deleted, version 9' },
      20: { actor: 'shops' },
      30: { text: 'sees secrets default/a deleted' },
    });
    expect(notified(lines, 1)).to.include('10');
    expect(notified(lines, 2)).to.include.members(['10', '20']);
    expect(notified(lines, 3)).to.include.members(['10', '20', '30']);
    expect(notified(lines, 3).at(-1)).to.equal('69 lines are left out');
  });

  it('say "a line" of one', () => {
    expect(notified(linesWith({ 0: { kind: 'step' } }), 99).at(-1)).to.equal('a line is left out');
  });
});
