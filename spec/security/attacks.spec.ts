import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { ServeFixture } from '../cli/support/serve-fixture.ts';
import { MAPS, type Attack } from './attack.ts';
import { AttackTarget } from './attack-target.ts';
import { certificates } from './attacks/certificates.ts';
import { credentials } from './attacks/credentials.ts';
import { escalation } from './attacks/escalation.ts';
import { headers } from './attacks/headers.ts';
import { http2 } from './attacks/http2.ts';
import { impersonation } from './attacks/impersonation.ts';
import { paths } from './attacks/paths.ts';
import { queries } from './attacks/queries.ts';
import { wire } from './attacks/wire.ts';
import { forgedCertificate } from './forged-certificate.ts';

const GROUPS: readonly (readonly [string, readonly Attack[]])[] = [
  ['credentials', credentials],
  ['certificates', certificates],
  ['headers', headers],
  ['paths', paths],
  ['queries', queries],
  ['wire', wire],
  ['http2', http2],
  ['impersonation', impersonation],
  ['escalation', escalation],
];
const TOKEN = 'the-token-of-the-administrator';
const PAGE = resolve(import.meta.dirname, '../../docs/security.md');
const HOUR_MS = 3_600_000;

describe('attacks on listwatch serve', () => {
  for (const [group, attacks] of GROUPS) {
    it(`by ${group} get the answers of the table, and no token is shown`, async () => {
      await attacked(async (target) => {
        const answers = [];
        for (const attack of attacks) answers.push(await answerTo(target, attack));
        const expected = attacks.map(({ title, status, says }) => ({ title, status, says }));
        expect(answers).to.deep.equal(expected);
      });
    });
  }

  it('by a token that has ended get 401', async () => {
    await attacked(async (target, clock) => {
      const own = [['Authorization', `Bearer ${target.tokenOf('robot')}`]] as const;
      expect((await target.send('GET', MAPS, own)).status).to.equal(200);
      clock.passedMs = HOUR_MS;
      expect((await target.send('GET', MAPS, own)).status).to.equal(401);
    });
  });

  it('each stand in docs/security.md with their answers', async () => {
    const page = await readFile(PAGE, 'utf8');
    for (const { title, status } of GROUPS.flatMap(([, attacks]) => attacks)) {
      expect(page).to.contain(`| ${title} | ${status}`);
    }
  });
});

/** With `says` as far as it is expected. */
async function answerTo(
  target: AttackTarget,
  attack: Attack,
): Promise<Pick<Attack, 'title' | 'status' | 'says'>> {
  const { title, says } = attack;
  const { status, text } = await target.attack(attack);
  expect(text).not.to.contain(TOKEN);
  return {
    title,
    status,
    says: says === undefined ? undefined : messageIn(text).slice(0, says.length),
  };
}

/** Empty for an object and for an answer that is no JSON. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return '';
  const { message = '' } = JSON.parse(text) as { readonly message?: string };
  return message;
}

/** Runs `work` against a server whose clock may be set forward. */
async function attacked(
  work: (target: AttackTarget, clock: { passedMs: number }) => Promise<void>,
): Promise<void> {
  const clock = { passedMs: 0 };
  const runtime: Runtime = { ...realRuntime, wallMs: () => realRuntime.wallMs() + clock.passedMs };
  await using fixture = await ServeFixture.make();
  const tokenFile = await fixture.write('token', TOKEN);
  const clientAuthority = forgedCertificate({ subject: [['CN', 'clients']], authority: {} });
  const clientCa = await fixture.write('clients.crt', clientAuthority.certificate);
  const options = ['--token-file', tokenFile, '--client-ca-file', clientCa];
  await using run = fixture.serve(options, { runtime });
  const { address, kubeconfig } = await run.readyDocument();
  const config = await readFile(kubeconfig, 'utf8');
  const [, data = ''] = /certificate-authority-data: (\S+)/.exec(config) ?? [];
  const authority = Buffer.from(data, 'base64').toString();
  await work(
    await AttackTarget.prepare({ address, authority, token: TOKEN, clientAuthority }),
    clock,
  );
}
