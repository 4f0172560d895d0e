import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { Target } from '../compare/target/target.ts';
import { BenchNamespaces } from './bench-namespaces.ts';

const CONTESTANT = 'listwatch-serve';
const ROOT = '/api/v1/namespaces';

async function withTarget(work: (target: Target) => Promise<void>): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  const target = new Target({ server: server.url, token: server.token });
  try {
    await work(target);
  } finally {
    target.close();
  }
}

async function send(target: Target, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await target.send({ method, path, headers, body: text, anonymous: false });
  return JSON.parse(answer.bytes.toString()) as unknown;
}

async function namesIn(target: Target, path: string): Promise<string[]> {
  const { items } = (await send(target, 'GET', path)) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name).filter((name) => name.includes('-serve-'));
}

describe('the namespaces of a bench beside another server', () => {
  it('are gone after it, with what is in them', async () => {
    await withTarget(async (target) => {
      const namespaces = new BenchNamespaces({ target, contestant: CONTESTANT, pid: 1234 });
      await namespaces.make();
      const names = [`listed-${CONTESTANT}-1234`, `rate-${CONTESTANT}-1234`];
      expect(await namesIn(target, ROOT)).to.have.members(names);
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'of-serve-1' } };
      for (const name of names) await send(target, 'POST', `${ROOT}/${name}/configmaps`, map);
      expect(await namesIn(target, '/api/v1/configmaps')).to.have.length(2);
      await namespaces.remove();
      expect(await namesIn(target, '/api/v1/configmaps')).to.deep.equal([]);
      expect(await namesIn(target, ROOT)).to.deep.equal([]);
      await namespaces.remove();
    });
  });

  it('that a killed run has left are deleted by the next one, not those of one that goes on or of another contestant', async () => {
    await withTarget(async (target) => {
      const isRunning = (pid: number): boolean => pid === 2;
      for (const [contestant, pid] of [
        [CONTESTANT, 1],
        [CONTESTANT, 2],
        ['other-serve', 1],
      ] as const) {
        await new BenchNamespaces({ target, contestant, pid }).make();
      }
      const next = new BenchNamespaces({ target, contestant: CONTESTANT, pid: 3, isRunning });
      const left = [`listed-${CONTESTANT}-1`, `rate-${CONTESTANT}-1`];
      expect(await next.removeEarlier()).to.have.members(left);
      expect(await namesIn(target, ROOT)).to.have.members([
        `listed-${CONTESTANT}-2`,
        `rate-${CONTESTANT}-2`,
        'listed-other-serve-1',
        'rate-other-serve-1',
      ]);
      expect(await next.removeEarlier()).to.deep.equal([]);
    });
  });
});
