import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { controller } from '../../lib/controller/builder/controller-builder.ts';
import { Manager } from '../../lib/controller/manager/manager.ts';
import type { Logger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';

describe('a program whose logger throws', () => {
  /** The lines on standard error. */
  let lines: string[];
  // oxlint-disable-next-line no-console -- the default logger writes with it
  const written = console.error;

  beforeEach(() => {
    lines = [];
    console.error = (line: string) => lines.push(line);
  });

  afterEach(() => {
    console.error = written;
  });

  it('works as with another one, and has one line on standard error', async () => {
    let calls = 0;
    const throws = (): never => {
      calls += 1;
      throw new Error('the log is closed');
    };
    const logger: Logger = { debug: throws, info: throws, warn: throws, error: throws };
    const runtime = new VirtualRuntime();
    const runs: string[] = [];
    const seen: string[] = [];
    await runtime.run(async () => {
      await using server = new ApiServer({ runtime, logger });
      const transport = inProcessTransport(server.handler);
      await using client = new Client({ transport, runtime, logger });
      await using informers = new SharedInformerFactory(client, { runtime, logger });
      const pods = informers.for('v1', 'configmaps', {
        indexers: {
          byNothing: () => {
            throw new Error('no index');
          },
        },
      });
      pods.addHandler({
        onAdd: ({ metadata: { name } }) => {
          seen.push(name);
          throw new Error('no handler');
        },
      });
      const options = { runtime, logger, informers, name: 'maps', labelSelector: 'app=web' };
      const maps = controller(client, 'v1', 'configmaps', options)
        .watches('v1', 'configmaps', () => {
          throw new Error('no mapping');
        })
        .where(() => {
          throw new Error('no predicate');
        })
        .reconcile(async ({ metadata: { name } }) => {
          runs.push(name);
          if (runs.length < 3) throw new Error('not yet');
        });
      const manager = new Manager(client, { runtime, logger, signals: false });
      const running = manager.add(maps).run();
      await manager.whenReady();
      const api = client.resource('v1', 'configmaps', { namespace: 'default' });
      await api.create({ metadata: { name: 'a', labels: { app: 'web' } } });
      await new Promise<void>((resolve) => void runtime.setTimer(60_000, resolve));
      await manager.close();
      await running;
    });
    expect(runs).to.deep.equal(['a', 'a', 'a']);
    expect(seen).to.deep.equal(['a']);
    expect(calls).to.be.at.least(5);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(
      /^listwatch: the logger failed: the log is closed; correct what is given as option "logger": lines that it does not take are lost \(level=\w+\)$/,
    );
  });
});
