import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { json, RawServer } from '../../client/support/raw-server.ts';
import { within } from '../../support/until.ts';
import { capturedHost } from '../support/captured-host.ts';
import { certificateThatEnds, DoctorFixture } from '../support/doctor-fixture.ts';
import { fakeApi } from '../support/fake-api.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/guides/connect.md');

/** The line that a reader types, and what the guide says that it prints. */
function sample(): { readonly typed: string; readonly printed: string[] } {
  const text = readFileSync(GUIDE, 'utf8');
  const match = /```sh\nnpx listwatch (doctor[^\n]*)\n```\s+```text\n([\s\S]*?)```/.exec(text);
  if (match === null) throw new Error('the guide has no sample of the doctor');
  return { typed: match[1]!, printed: match[2]!.trimEnd().split('\n') };
}

/** Times, ports and the home directory are those of the machine, and a slow one adds how long it took to read the credentials. */
function comparable(line: string, homeDir: string): string {
  return line
    .replaceAll(homeDir, '/home/jane')
    .replaceAll(/\d+(?:\.\d+)?/g, '0')
    .replace(/, made in 0 m?s(?= \[)/, '');
}

describe('the sample of the doctor in docs/guides/connect.md', () => {
  it('is what the command prints; three dots stand for lines that are left out', async () => {
    await using doctor = await DoctorFixture.make();
    const { cert, key, authority: ca } = certificateThatEnds(1000);
    const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const api = fakeApi({
      [review]: (response) => json(response, { status: { allowed: false } }, 201),
    });
    await using server = await RawServer.start(api, { cert, key });
    await doctor.kubeconfig({ server: server.url, ca }, '.kube/config');
    const host = capturedHost({
      isTerminal: true,
      homeDir: doctor.homeDir,
      env: { LANG: 'en_US.UTF-8', TERM: 'dumb' },
    });
    const { typed, printed } = sample();
    const code = await within(runCommandLine(typed.split(' '), host), 'listwatch doctor');
    expect(code).to.equal(1);

    const lines = host.stdout.lines.map((line) => comparable(line, doctor.homeDir));
    let next = 0;
    for (const line of printed) {
      if (line === '...') continue;
      const at = lines.indexOf(comparable(line, doctor.homeDir), next);
      const dots = printed[printed.indexOf(line) - 1] === '...';
      expect(at, `${line}\nis not in\n${lines.join('\n')}`).to.be.at.least(next);
      if (!dots) expect(at, `${line} comes directly after the one before`).to.equal(next);
      next = at + 1;
    }
    expect(next, 'the sample has the last line').to.equal(lines.length);
  });
});
