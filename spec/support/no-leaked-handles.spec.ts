import { expect } from 'chai';
import { runMocha, type MochaReport } from './run-mocha.ts';

describe('a spec run', () => {
  it('fails a spec that leaks a handle, by name, and goes on with the others', async () => {
    const { code, stdout } = await runMocha({
      'a.spec.mjs': `
        import { createServer } from 'node:net';
        it('leaks a timer', () => { setInterval(() => {}, 1e6); });
        it('is clean after a leak', () => {});
        it('closes what it leaked late', () => { setTimeout(() => {}, 500); });
        it('leaks a server', (done) => { createServer().listen(0, done); });
        it('fails and leaks', () => { setInterval(() => {}, 1e6); throw new Error('of its own'); });
      `,
      'b.spec.mjs': `it('is in the next file', () => {});`,
    });
    const { passes, failures } = JSON.parse(stdout) as MochaReport;
    expect(failures.map(({ fullTitle, err }) => [fullTitle, err.message])).to.deep.equal([
      ['leaks a timer', 'handles left running: Timeout'],
      ['leaks a server', 'handles left running: TCPServerWrap'],
      ['fails and leaks', 'of its own'],
    ]);
    const passed = passes.map(({ fullTitle }) => fullTitle);
    expect(passed).to.include.members([
      'is clean after a leak',
      'closes what it leaked late',
      'is in the next file',
    ]);
    expect(code).to.equal(3);
  });

  it('names a spec that never gives the event loop back, and ends', async () => {
    const { code, stderr } = await runMocha(
      {
        'a.spec.mjs': `it('comes first', () => {}); it('never returns', () => { for (;;) {} });`,
      },
      { LISTWATCH_SPEC_HANG_MS: '2000' },
    );
    expect(stderr).to.include('stuck for 2000 ms in: never returns\n');
    expect(code).to.equal('SIGKILL');
  });
});
