import { expect } from 'chai';
import { Style } from '../../../lib/cli/terminal/style.ts';

const TERMINAL = { isTerminal: true };
const UTF8 = { LANG: 'en_US.UTF-8' };
const GREEN = '\u001b[32m';

describe('Style', () => {
  it('has colours and symbols on a terminal whose locale is UTF-8', () => {
    const style = new Style(TERMINAL, UTF8);
    expect(style.mark('ok')).to.include(GREEN).and.include('✓');
    expect(style.mark('failed')).to.include('✗');
    expect(style.mark('skipped')).to.include('–');
    expect(style.replacesLines).to.equal(true);
  });

  it('has no colours with NO_COLOR, which does not change the symbols', () => {
    const style = new Style(TERMINAL, { ...UTF8, NO_COLOR: '1' });
    expect(style.mark('ok')).to.equal('✓');
    expect(style.paint('red', 'text')).to.equal('text');
  });

  it('takes an empty NO_COLOR for none, as its convention says', () => {
    expect(new Style(TERMINAL, { ...UTF8, NO_COLOR: '' }).mark('ok')).to.include(GREEN);
  });

  it('has words of one width instead of symbols where the locale is not UTF-8', () => {
    for (const env of [{}, { LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }]) {
      const style = new Style(TERMINAL, { ...env, NO_COLOR: '1' });
      const marks = (['ok', 'warning', 'failed', 'skipped', 'running'] as const).map((mark) =>
        style.mark(mark),
      );
      expect(marks).to.deep.equal(['ok  ', 'WARN', 'FAIL', 'skip', '... ']);
    }
  });

  it('has symbols in Windows Terminal, which sets no locale', () => {
    expect(new Style(TERMINAL, { WT_SESSION: 'id', NO_COLOR: '1' }).mark('ok')).to.equal('✓');
  });

  it('has neither colours nor symbols nor replaced lines in a file or a pipe', () => {
    const style = new Style({ isTerminal: false }, UTF8);
    expect(style.mark('ok')).to.equal('ok  ');
    expect(style.replacesLines).to.equal(false);
  });

  it('replaces no lines and has no colours on a dumb terminal', () => {
    const style = new Style(TERMINAL, { ...UTF8, TERM: 'dumb' });
    expect(style.replacesLines).to.equal(false);
    expect(style.mark('ok')).to.equal('✓');
  });
});
