import { expect } from 'chai';
import { SharedKeys } from '../../../lib/controller/builder/shared-keys.ts';
import type {
  ShareWorker,
  WorkShare,
} from '../../../lib/controller/sharding/contract/work-share.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('The keys that a controller shares', () => {
  let world: VirtualRuntime;
  let workers: Set<ShareWorker>;
  let owned: Set<string>;
  let keys: SharedKeys;
  let replays: number;
  let cut: string[];

  beforeEach(() => {
    world = new VirtualRuntime();
    workers = new Set();
    owned = new Set(['a', 'b']);
    replays = 0;
    cut = [];
    keys = new SharedKeys({
      name: 'greeter',
      runtime: world,
      replay: () => {
        replays += 1;
      },
      leave: async () => {},
      cutShort: (covers) => {
        cut.push(...['a', 'b'].filter(covers));
      },
    });
    const share: WorkShare = {
      isActive: true,
      has: (key) => owned.has(key),
      fence: {
        headers: {},
        validUntilMs: Infinity,
        lost: new AbortController().signal,
        check: () => {},
        refused: () => undefined,
      },
      join: (worker) => {
        workers.add(worker);
        return () => workers.delete(worker);
      },
    };
    keys.join(share);
  });

  /** A run that goes on until the returned function is called. */
  function begin(key: string): () => Promise<void> {
    let end = (): void => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run = keys.run(key, async () => await work, undefined);
    return async () => {
      end();
      await run;
    };
  }

  it('begin no run of a key of another replica', async () => {
    owned.delete('a');
    expect(await keys.run('a', async () => 'ran', 'left')).to.equal('left');
    expect(await keys.run('b', async () => 'ran', 'left')).to.equal('ran');
  });

  it('are drained when the last run of theirs has ended, which is cut short after its time', async () => {
    const ends = [begin('a'), begin('a')];
    let isDrained = false;
    const drained = keys
      .drained((key) => key === 'a', 1000)
      .then(() => {
        isDrained = true;
      });
    await world.advance(999);
    expect(cut).to.deep.equal([]);
    await world.advance(1);
    expect(cut).to.deep.equal(['a']);
    await ends[0]?.();
    await world.advance(0);
    expect(isDrained).to.equal(false);
    await ends[1]?.();
    await drained;
  });

  it('leave the share after the stop of the controller when no run is left, so that they are not given away before', async () => {
    const end = begin('a');
    keys.close();
    expect(workers.size).to.equal(1);
    keys.gained();
    expect(replays, 'nothing is looked through again').to.equal(0);
    await end();
    expect(workers.size).to.equal(0);
  });

  it('leave the share at once when no run is left', () => {
    keys.gained();
    expect(replays).to.equal(1);
    keys.close();
    expect(workers.size).to.equal(0);
  });
});
