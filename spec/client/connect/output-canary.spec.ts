import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { HANG_MS } from '../../support/until.ts';
import { Canaries } from './support/canaries.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** The specs that work with credentials, and print what a program would print. */
const SPECS = [
  'spec/client/connect/credential-matrix.spec.ts',
  'spec/client/connect/bad-input.spec.ts',
  'spec/client/config/**/*.spec.ts',
  'spec/client/transport/**/*.spec.ts',
  'spec/client/rest/connect.spec.ts',
  'spec/cli/**/*.spec.ts',
];

/** Every secret that `FrontCluster`, proxies and plug-ins of these specs give out begins like this. */
const CANARY = /canary-[a-z-]+-[0-9a-f]{8,}|canary-(?:proxy|plugin)-\w+/;

describe('the output of the specs that work with credentials', () => {
  it('has no token, password or private key', async () => {
    const { output, passing } = await outputOf(SPECS);
    expect(passing).to.be.at.least(300);
    const canaries = new Canaries();
    const shows = (line: string): boolean => CANARY.test(line) || canaries.foundIn(line).length > 0;
    expect(output.split('\n').filter(shows)).to.deep.equal([]);
  });

  it('would show a token that one of them prints', () => {
    expect('token=canary-token-0123456789abcdef01234567').to.match(CANARY);
    expect('proxy http://proxy-user:canary-proxy-password@127.0.0.1').to.match(CANARY);
  });
});

/** All that a process of mocha writes to its standard streams. */
async function outputOf(
  files: readonly string[],
): Promise<{ readonly output: string; readonly passing: number }> {
  const output = await new Promise<string>((done) => {
    execFile(
      process.execPath,
      [MOCHA, '--reporter', 'spec', ...files],
      {
        cwd: ROOT,
        maxBuffer: 256 * 1024 * 1024,
        timeout: HANG_MS,
        env: { ...process.env, NO_COLOR: '1', LISTWATCH_ROTATIONS: '1' },
      },
      (_error, stdout, stderr) => {
        done(stdout + stderr);
      },
    );
  });
  return { output, passing: Number(/(\d+) passing/.exec(output)?.[1] ?? 0) };
}
