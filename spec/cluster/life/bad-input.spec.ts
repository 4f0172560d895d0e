import { expect } from 'chai';
import type { ContainerRunContext } from '../../../lib/cluster/life/containers/container-behaviour.ts';
import { ContainerBehaviours } from '../../../lib/cluster/life/containers/container-rules.ts';
import { nodeModels } from '../../../lib/cluster/life/nodes/node-options.ts';
import { conditionOf, LifeWorld } from './life-world.ts';

const now = { startsAfterMs: 0, pullsAfterMs: 0 };
const throws = (): never => {
  throw new Error('no number');
};
/** As a program without types gives it. */
const untyped = (value: unknown): never => value as never;

describe('a rule of containers', () => {
  const wrong = [
    [{ startsAfterMs: null }, /"startsAfterMs" must be a number of milliseconds/],
    [{ runsForMs: NaN }, /"runsForMs" must be a number of milliseconds/],
    [{ stopsAfterMs: { min: 2, max: 1 } }, /"stopsAfterMs" must be a number of milliseconds/],
    [{ output: 5 }, /"output" must be an array of strings/],
    [{ match: { image: 5 } }, /"match.image" must be a string or a RegExp/],
  ] as const;
  for (const [rule, message] of wrong) {
    it(`is refused: ${message.source}`, () => {
      expect(() => new ContainerBehaviours(untyped([rule])))
        .to.throw(message)
        .with.property('code', 'INVALID_OPTION');
    });
  }

  it('matches with a pattern that has the flag g each time', () => {
    const behaviours = new ContainerBehaviours([{ match: { image: /nginx/g }, exitCode: 3 }]);
    const facts = { pod: {}, container: { name: 'main', image: 'nginx' } };
    const codes = [1, 2, 3].map(() => behaviours.of(facts).exitCode);
    expect(codes).to.deep.equal([3, 3, 3]);
  });

  it('whose delay throws counts as one without it, and an event says so', async () => {
    const containers = [{ startsAfterMs: throws, stopsAfterMs: throws }];
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web');
      await world.untilReady('web');
      expect(await world.events('web')).to.include('Failed: Error: option containers: no number');
      await world.pods.delete('web');
      await world.untilGone('web');
    });
  });
});

describe('a function of containers', () => {
  it('that returns a promise is the error of its container', async () => {
    const containers = untyped(() => Promise.reject(new Error('late')));
    await LifeWorld.run({ containers, ...now }, async (world) => {
      await world.create('web', { restartPolicy: 'Never' });
      const { status } = await world.untilPhase('web', 'Failed');
      expect(status?.containerStatuses?.[0]?.state?.terminated?.message).to.match(
        /returned a promise: return the behaviour itself/,
      );
    });
  });

  it('that gives a probe another answer than true or false is read as JavaScript does', async () => {
    const run = async ({ setReady, sleep }: ContainerRunContext): Promise<void> => {
      setReady(untyped(''));
      await sleep(1000);
      setReady(untyped('yes'));
      await sleep(1e9);
    };
    await LifeWorld.run({ containers: [{ run }], ...now }, async (world) => {
      await world.create('web');
      await world.world.sleep(500);
      expect(conditionOf(await world.pod('web'), 'Ready')).to.equal('False');
      await world.untilReady('web');
      expect(world.life.inspect()).to.include({ working: 0, waiting: 0 });
    });
  });
});

describe('a crash', () => {
  it('is refused with a code that is none, and for a container that does not run', async () => {
    await LifeWorld.run(now, async (world) => {
      await world.create('job', { restartPolicy: 'Never' });
      await world.untilReady('job');
      const crash = (exitCode?: number): void =>
        world.life.crash({ namespace: 'default', name: 'job', exitCode });
      for (const code of [1.5, -1, 256, untyped('x')]) {
        expect(() => crash(code)).to.throw(/"exitCode" must be a whole number from 0 to 255/);
      }
      crash();
      await world.untilPhase('job', 'Failed');
      expect(() => crash()).to.throw(/does not run on a node/);
    });
  });
});

describe('options of nodes', () => {
  const wrong = [
    [[{ name: 'a..b' }], /"a\.\.b" is no name of a node/],
    [[{ name: 'a'.repeat(64) }], /is no name of a node/],
    [[{ name: 'a', capacity: { cpu: -1 } }], /cpu of a must be a quantity of at least 0/],
    [[{ name: 'a', allocatable: { memory: '1 GB' } }], /memory of a must be a quantity/],
    [100_000, /"nodes" must be a whole number from 0 to 10000/],
    [Array.from({ length: 10_001 }, (_, at) => ({ name: `n${at}` })), /"nodes.length" must be/],
  ] as const;
  for (const [nodes, message] of wrong) {
    it(`are refused: ${message.source}`, () => {
      expect(() => nodeModels(nodes))
        .to.throw(message)
        .with.property('code', 'INVALID_OPTION');
    });
  }
});
