import { expect } from 'chai';
import { Story, wantsColor } from '../../examples/support/story.ts';

describe('Story', () => {
  const notified = async (options: { color?: boolean; verbose?: boolean }): Promise<string> => {
    let text = '';
    const { color = false, verbose = false } = options;
    const story = new Story({ color, verbose, write: (part) => void (text += part) });
    await story.chapter('First', async () => {
      story.say('server', 'listens');
      story.detail('later', performance.now() + 1000);
      story.detail('now');
      return 'done';
    });
    return text;
  };

  it('prints who does something, and the verdict with its time at the end of the line', async () => {
    const lines = (await notified({})).split('\n');
    expect(lines.slice(0, 3)).to.deep.equal(['', '1  First', '   server    listens']);
    expect(lines[3])
      .to.match(/^ {3}✓ done +\d+ ms$/)
      .and.have.length(80);
  });

  it('prints details in the order of their times, with the option', async () => {
    const lines = (await notified({ verbose: true })).split('\n');
    expect(lines[3]).to.match(/ms {2}now$/);
    expect(lines[4]).to.match(/s {2}later$/);
  });

  it('uses colours only with the option', async () => {
    expect(await notified({ color: true })).to.include('\u001B[');
    expect(await notified({})).not.to.include('\u001B[');
  });

  it('wants colours on a terminal, unless NO_COLOR is set', () => {
    const terminal = { isTTY: true };
    expect(wantsColor(terminal, {})).to.equal(true);
    expect(wantsColor(terminal, { NO_COLOR: '1' })).to.equal(false);
    expect(wantsColor(terminal, { NO_COLOR: '' })).to.equal(true);
    expect(wantsColor({}, {})).to.equal(false);
  });
});
