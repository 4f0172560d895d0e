import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { HANG_MS } from '../../support/until.ts';
import { showsSecret } from '../../support/no-secret-output.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');

describe('the output of the specs', () => {
  for (const [stream, name] of [
    ['log', 'standard output'],
    ['error', 'standard error'],
  ] as const) {
    it(`fails the run when it has a token, on ${name}`, async () => {
      const printed = `token=canary-token-0123456789abcdef01234567`;
      const { output, code } = await runOf(
        `it('prints', () => { console.${stream}('${printed}'); });`,
      );
      expect(output).to.include('1 passing').and.include('secrets in the output of the specs');
      expect(code).to.equal(1);
    });
  }

  it('has secrets of these forms', () => {
    const lines = [
      'proxy http://proxy-user:canary-proxy-password@127.0.0.1',
      '-----BEGIN PRIVATE KEY-----',
      'Authorization: Bearer abcdefgh12',
      'Basic YWRtaW46c2VjcmV0',
    ];
    expect(lines.filter(showsSecret)).to.deep.equal(lines);
    expect(showsSecret('Basic authentication of a bearer')).to.equal(false);
  });
});

/** A run of mocha with the hooks of this one, over one file of specs. */
async function runOf(spec: string): Promise<{ readonly output: string; readonly code: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), 'output-canary-'));
  const file = join(folder, 'prints.spec.mjs');
  try {
    await writeFile(file, spec);
    return await new Promise((done) => {
      execFile(
        process.execPath,
        [MOCHA, file],
        { cwd: ROOT, timeout: HANG_MS },
        (error, out, err) => {
          done({ output: out + err, code: error?.code ?? 0 });
        },
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
