import { expect } from 'chai';
import { Timeline, wantsColor } from '../../examples/support/timeline.ts';

describe('Timeline', () => {
  const lines: string[] = [];

  beforeEach(() => {
    lines.length = 0;
  });

  function timeline(color: boolean = false): Timeline {
    return new Timeline({ color, write: (text) => void lines.push(text) });
  }

  it('prints elapsed time, component, resource and text as columns', () => {
    timeline().say('server', 'pods', 'listens');
    expect(lines.join('')).to.match(/^ +\d+ ms {2}server {5}pods {20,}listens\n$/);
  });

  it('makes one line of a burst, in the order of the pipeline', () => {
    const shown = timeline();
    shown.tally('handler', 'pods', 'added');
    shown.tally('handler', 'pods', 'added', 2);
    shown.tally('handler', 'pods', 'deleted', 0);
    shown.tally('handler', 'services', 'added');
    shown.tally('handler', 'pods', 'updated');
    expect(lines).to.deep.equal([]);
    shown.tally('fifo', 'pods', 'queued');
    shown.flush();
    const texts = lines.map((line) =>
      line
        .replace(/^ +\d+ ms +/, '')
        .replaceAll(/ {2,}/g, ' | ')
        .trim(),
    );
    expect(texts).to.deep.equal([
      'fifo | pods | queued: 1',
      'handler | pods | added: 3, updated: 1',
      'handler | services | added: 1',
    ]);
  });

  it('prints a burst by itself after a moment', async () => {
    const shown = timeline();
    await new Promise<void>((resolve) => {
      const written = new Timeline({ color: false, write: () => resolve() });
      written.tally('queue', 'pods', 'keys added');
    });
    shown.flush();
    expect(lines).to.deep.equal([]);
  });

  it('uses colours only with the option', () => {
    timeline(true).say('server', 'pods', 'listens');
    expect(lines.join('')).to.include('\u001B[');
  });

  it('wants colours on a terminal, unless NO_COLOR is set', () => {
    const terminal = { isTTY: true };
    expect(wantsColor(terminal, {})).to.equal(true);
    expect(wantsColor(terminal, { NO_COLOR: '1' })).to.equal(false);
    expect(wantsColor(terminal, { NO_COLOR: '' })).to.equal(true);
    expect(wantsColor({}, {})).to.equal(false);
  });
});
