import { expect } from 'chai';
import { ObjectDaemons } from '../../../lib/controller/helpers/object-daemons.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';

describe('ObjectDaemons', () => {
  let runtime: VirtualRuntime;
  let log: string[];
  let daemons: ObjectDaemons;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    log = [];
    daemons = new ObjectDaemons({
      controller: 'shops',
      options: {},
      runtime,
      logger: silentLogger,
      // Each takes a second to end.
      start: async (key, signal) => {
        log.push(`${key} begins`);
        await new Promise<void>((resolve) => {
          onAbort(signal, resolve);
        });
        await sleep(runtime, 1000);
        log.push(`${key} ends`);
      },
    });
  });

  it('start when the controller begins, and not before', async () => {
    daemons.want('a', 'u1');
    await runtime.settle();
    expect(log).to.deep.equal([]);
    expect(daemons.inspect()).to.deep.include({ running: [], waiting: 1 });
    daemons.begin();
    await runtime.settle();
    expect(log).to.deep.equal(['a begins']);
    await runtime.run(daemons.close());
  });

  it('of some objects leave: those have ended then, and the others go on', async () => {
    daemons.begin();
    for (const key of ['a', 'b', 'c']) daemons.want(key, key);
    await runtime.settle();
    log.length = 0;
    await runtime.run(daemons.leave((key) => key !== 'b'));
    expect(log).to.deep.equal(['a ends', 'c ends']);
    expect(runtime.monotonicMs()).to.equal(1000);
    expect(daemons.inspect()).to.deep.equal({
      name: 'daemon',
      running: ['b'],
      waiting: 0,
      failures: 0,
    });
    await runtime.run(daemons.close());
    expect(log.at(-1)).to.equal('b ends');
  });
});
