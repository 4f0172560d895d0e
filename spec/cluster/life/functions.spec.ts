import { expect } from 'chai';
import type { ContainerRunContext } from '../../../lib/cluster/life/containers/container-behaviour.ts';
import { LifeWorld } from './life-world.ts';

const now = { startsAfterMs: 0, pullsAfterMs: 0 };
const once = { restartPolicy: 'Never' } as const;

describe('a function in place of a container', () => {
  it('runs for it, and its result is the exit code', async () => {
    const runs: ContainerRunContext[] = [];
    const run = async (context: ContainerRunContext): Promise<number> => {
      runs.push(context);
      context.log('at work');
      await context.sleep(5000);
      return 7;
    };
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      await world.create('job', once);
      const pod = await world.untilPhase('job', 'Failed');
      const ended = pod.status?.containerStatuses?.[0]?.state?.terminated;
      expect(ended).to.include({ exitCode: 7, reason: 'Error' });
      expect(Date.parse(ended?.finishedAt ?? '') - Date.parse(ended?.startedAt ?? '')).to.equal(
        5000,
      );
      const [context] = runs;
      expect(runs).to.have.length(1);
      expect(context?.pod.metadata?.name).to.equal('job');
      expect(context?.container.name).to.equal('main');
      expect(context?.restartCount).to.equal(0);
      expect(context?.signal.aborted).to.equal(true);
    });
  });

  const bad = [
    ['throws', () => Promise.reject(new Error('no disk')), 1, /^no disk$/],
    [
      'throws at once',
      () => {
        throw new Error('no disk');
      },
      1,
      /^no disk$/,
    ],
    ['throws no error', () => Promise.reject(undefined), 1, /undefined/],
    [
      'returns a text',
      () => 'done' as unknown as number,
      2,
      /returned string: return a whole number/,
    ],
    ['returns 1.5', () => 1.5, 2, /returned 1.5/],
    ['returns 300', () => 300, 2, /returned 300/],
  ] as const;
  for (const [what, run, exitCode, message] of bad) {
    it(`that ${what} ends its container with a code and a message`, async () => {
      await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
        await world.create('job', once);
        const pod = await world.untilPhase('job', 'Failed');
        const ended = pod.status?.containerStatuses?.[0]?.state?.terminated;
        expect(ended).to.include({ exitCode, reason: 'Error' });
        expect(ended?.message).to.match(message);
      });
    });
  }

  it('that never resolves is killed at the end of the grace period', async () => {
    const run = (): Promise<number> => new Promise(() => {});
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      await world.create('hung', { terminationGracePeriodSeconds: 3 });
      await world.untilReady('hung');
      await world.pods.delete('hung');
      await world.untilGone('hung');
      expect(world.states('hung').at(-1)).to.equal('Failed ready=False main:Error(137)');
    });
  });

  it('ends by its signal with its own code, or with 0 if it passes on the reason', async () => {
    const codes = [
      {
        match: { container: 'main' },
        run: async ({ sleep }: ContainerRunContext) => await sleep(1e9),
      },
      {
        match: { container: 'other' },
        run: async ({ signal, sleep }: ContainerRunContext) => {
          await sleep(1e9).catch(() => {});
          return signal.aborted ? 9 : 1;
        },
      },
    ];
    await LifeWorld.run({ containers: codes, ...now }, async (world) => {
      const image = 'busybox';
      await world.create('web', {
        containers: [
          { name: 'main', image },
          { name: 'other', image },
        ],
      });
      await world.untilReady('web');
      await world.pods.delete('web');
      await world.untilGone('web');
      expect(world.states('web').at(-1)).to.equal(
        'Failed ready=False main:Completed(0) other:Error(9)',
      );
    });
  });

  it('says when it is ready, and when it is not healthy', async () => {
    const run = async ({ restartCount, setReady, setHealthy, sleep }: ContainerRunContext) => {
      if (restartCount > 0) await sleep(1e9);
      await sleep(5000);
      setReady(false);
      await sleep(5000);
      setReady(true);
      await sleep(5000);
      setHealthy(false);
      await sleep(1e9);
    };
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 5, failureThreshold: 2 };
      await world.create('web', { containers: [{ name: 'main', image: 'nginx', livenessProbe }] });
      await world.until('web', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
      expect(world.states('web')).to.deep.equal([
        'Running ready=True main:running',
        'Running ready=False main:running',
        'Running ready=True main:running',
        'Running ready=True main:running#1',
      ]);
      expect(await world.events('web')).to.include(
        'Killing: Container main failed liveness probe, will be restarted',
      );
    });
  });

  it('of a list of rules is that of the first rule that matches', async () => {
    const end = (exitCode: number) => ({ runsForMs: 0, exitCode });
    const containers = [
      { match: { image: 'shop/job', labels: { kind: 'a' } }, ...end(1) },
      { match: { image: 'shop/job' }, ...end(2) },
      { match: { command: /--three$/ }, ...end(3) },
      { match: { container: 'four', namespace: 'default' }, ...end(4) },
    ];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      const code = async (name: string, container: object, labels = {}): Promise<number> => {
        const main = { name: 'main', image: 'other', ...container };
        await world.create(name, { ...once, containers: [main] }, { labels });
        const { status } = await world.untilPhase(name, 'Failed');
        return status?.containerStatuses?.[0]?.state?.terminated?.exitCode ?? -1;
      };
      expect(await code('a', { image: 'shop/job:v1' }, { kind: 'a' })).to.equal(1);
      expect(await code('b', { image: 'shop/job@sha256:' + 'a'.repeat(64) })).to.equal(2);
      expect(await code('c', { command: ['run', '--three'] })).to.equal(3);
      expect(await code('d', { name: 'four' })).to.equal(4);
    });
  });

  it('may be chosen by a function, whose error is that of the container', async () => {
    const containers = () => {
      throw new Error('no rule');
    };
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('job', once);
      const { status } = await world.untilPhase('job', 'Failed');
      const ended = status?.containerStatuses?.[0]?.state?.terminated;
      expect(ended?.message).to.equal('option containers: no rule');
    });
  });

  it('is refused with an option that does not exist', async () => {
    const containers = [{ runsFor: 5 } as object];
    await LifeWorld.run({ containers }, async () => {}).then(
      () => expect.fail('it was taken'),
      (error: unknown) => expect(error).to.have.property('code', 'INVALID_OPTION'),
    );
  });
});

describe('the log of a container', () => {
  it('has the lines of its run, and those of the run before', async () => {
    const run = async ({ log, restartCount, sleep }: ContainerRunContext) => {
      log(`run ${restartCount}`);
      log('two\nlines\n');
      if (restartCount > 0) await sleep(1e9);
      return 1;
    };
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      await world.create('web');
      await world.until('web', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
      expect(await world.pods.logs('web')).to.equal('run 1\ntwo\nlines\n');
      expect(await world.pods.logs('web', { previous: true })).to.equal('run 0\ntwo\nlines\n');
    });
  });

  it('is followed until its container ends', async () => {
    const run = async ({ log, sleep }: ContainerRunContext) => {
      for (let line = 1; line <= 3; line += 1) {
        log(`line ${line}`);
        await sleep(1000);
      }
    };
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      await world.create('job', once);
      await world.until('job', ({ status }) => status?.phase === 'Running');
      const lines: string[] = [];
      for await (const line of world.pods.logs('job', { follow: true })) lines.push(line);
      expect(lines).to.deep.equal(['line 1', 'line 2', 'line 3']);
    });
  });

  it('is that of a handler of the server, if one is given', async () => {
    await LifeWorld.run({ containers: [{ output: ['of the node'] }], ...now }, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      expect(await world.pods.logs('web')).to.equal('of the node\n');
      const { server } = world.world.cluster;
      const handler = server.pods.handle({ log: () => 'of the test\n' });
      expect(await world.pods.logs('web')).to.equal('of the test\n');
      handler[Symbol.dispose]();
      await world.life.fail('node-1');
      await world.pods.logs('web').then(
        () => expect.fail('a node that has failed does not answer'),
        (error: unknown) => expect(String(error)).to.match(/connection refused/),
      );
    });
  });
});
