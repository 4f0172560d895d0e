import { expect } from 'chai';
import { request } from 'node:http';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { Manager } from '../../../lib/controller/manager/manager.ts';
import { until } from '../../support/until.ts';
import { ManagerWorld } from './manager-world.ts';

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

function ask(url: string, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode, type: response.headers['content-type'], text }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('The endpoints of a manager', () => {
  let world: ManagerWorld;
  /** Not in virtual time, as sockets are not. */
  let manager: Manager;
  let running: Promise<void>;
  let broken: string | undefined;

  beforeEach(async () => {
    world = new ManagerWorld();
    broken = undefined;
    const check = (): void => {
      if (broken !== undefined) throw new Error(broken);
    };
    manager = new Manager(world.client, {
      signals: false,
      endpoints: { port: 0 },
      healthChecks: { disk: check },
      readyChecks: { database: async () => check() },
      registry: { metrics: async () => 'process_things 1\n' },
      logger: world.logger,
    });
    manager.add(world.runnable('poll'));
    running = manager.run();
    await manager.whenReady({ timeoutMs: 60_000 });
  });
  afterEach(async () => {
    await manager.close();
    await running;
    await world.close();
  });

  it('are on loopback, on a free port', () => {
    expect(manager.url).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
  });

  it('answer ok to probes, and each check with verbose', async () => {
    expect(await ask(`${manager.url}/healthz`)).to.include({ status: 200, text: 'ok' });
    const { status, text } = await ask(`${manager.url}/readyz?verbose`);
    expect([status, text]).to.deep.equal([
      200,
      '[+]poll ok\n[+]database ok\n[+]manager ok\nreadyz check passed\n',
    ]);
    expect(await ask(`${manager.url}/readyz`, 'HEAD')).to.include({ status: 200, text: '' });
  });

  it('fail when a check does, and say which and why', async () => {
    broken = 'no space\nleft';
    expect(await ask(`${manager.url}/healthz`)).to.include({
      status: 500,
      text: '[+]poll ok\n[-]disk failed: no space left\nhealthz check failed\n',
    });
    expect((await ask(`${manager.url}/readyz`)).text).to.include('[-]database failed: no space');
  });

  for (const [option, check] of [
    ['leaderElection', 'leader-election'],
    ['sharding', 'sharding'],
  ] as const) {
    it(`have the check ${check} with the option ${option}`, async () => {
      const other = world.manager({
        endpoints: { port: 0 },
        [option]: { name: 'program', namespace: 'default' },
      });
      const runs = other.run();
      // Sockets are not in virtual time.
      await until('the port to be open', () => other.url !== undefined);
      await world.runtime.run(other.whenReady({ timeoutMs: 60_000 }));
      const { text } = await ask(`${other.url}/healthz?verbose`);
      expect(text).to.equal(`[+]${check} ok\nhealthz check passed\n`);
      const closed = other.close();
      await world.runtime.advance(5000);
      await closed;
      await runs;
    });
  }

  it('say which part is not ready', async () => {
    const pods = controller(world.client, 'v1', 'pods', {
      runtime: world.runtime,
      logger: world.logger,
    }).reconcile(async () => {});
    manager.add(pods);
    const { status, text } = await ask(`${manager.url}/readyz`);
    expect([status, text.split('\n')[1]]).to.deep.equal([500, '[-]pods failed: it is starting']);
    const closing = pods.close();
    await world.runtime.run(closing);
  });

  it('show metrics, with those of a registry', async () => {
    manager.metrics.count('workqueue_adds_total', 3, { name: 'pods' });
    const { status, type, text } = await ask(`${manager.url}/metrics`);
    expect([status, type]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).to.include('# TYPE workqueue_adds_total counter\n');
    expect(text).to.include('workqueue_adds_total{name="pods"} 3\n');
    expect(text.endsWith('process_things 1\n')).to.equal(true);
  });

  it('name the pages that there are, and refuse other methods', async () => {
    const { status, text } = await ask(`${manager.url}/`);
    expect([status, text]).to.deep.equal([
      404,
      'no such page; there are /healthz, /readyz, /metrics\n',
    ]);
    expect((await ask(`${manager.url}/metrics`, 'POST')).status).to.equal(405);
  });

  it('make run reject when the port is taken, after the parts have been stopped', async () => {
    const port = Number(new URL(manager.url ?? '').port);
    const other = new Manager(world.client, { signals: false, endpoints: { port } });
    const failure = await other.run().catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'PORT_IN_USE');
    expect(other.inspect().phase).to.equal('stopped');
  });

  it('are closed at the end', async () => {
    const { url } = manager;
    await manager.close();
    const failure = await ask(`${url}/healthz`).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ECONNREFUSED');
  });
});

describe('The signals of a process', () => {
  it('stop a manager', async function () {
    if (process.platform === 'win32') {
      console.log('      skipped: on Windows, process.kill ends a process without its handlers');
      this.skip();
    }
    const world = new ManagerWorld();
    const manager = new Manager(world.client, { logger: world.logger });
    const before = process.listenerCount('SIGTERM');
    const running = manager.run();
    expect(process.listenerCount('SIGTERM')).to.equal(before + 1);
    await manager.whenReady({ timeoutMs: 60_000 });
    process.kill(process.pid, 'SIGTERM');
    await running;
    expect(manager.inspect().stopReason).to.equal('SIGTERM');
    expect(process.listenerCount('SIGTERM')).to.equal(before);
    await world.close();
  });
});
