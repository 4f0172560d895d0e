import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Runtime, Timer, TimerOptions } from '../../../lib/kernel/time/runtime.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ControllerWorld, site, SITES, type Site } from './controller-world.ts';

/** A clock whose time of day can be set, and that may sleep. */
class SettableClock implements Runtime {
  readonly #runtime: Runtime;
  setByMs = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  wallMs(): number {
    return this.#runtime.wallMs() + this.setByMs;
  }

  monotonicMs(): number {
    return this.#runtime.monotonicMs();
  }

  random(): number {
    return this.#runtime.random();
  }

  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer {
    return this.#runtime.setTimer(delayMs, callback, options);
  }

  queueTask(task: () => void): void {
    this.#runtime.queueTask(task);
  }
}

const ONE_LINE = /^[^\n]+$/;

describe('a controller with bad input', () => {
  let world: ControllerWorld;
  let runs: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    runs = [];
  });

  afterEach(async () => {
    for (const line of world.log) expect(line).to.match(ONE_LINE);
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const make = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await world.after(maps().create({ metadata: { name } }));
  };
  const note = async (_object: unknown, { key }: { readonly key: string }): Promise<void> => {
    runs.push(key);
  };
  const failureOf = async (run: Promise<void>): Promise<string> =>
    await world.runtime.run(
      run.then(
        () => 'ended',
        (error: Error) => error.message,
      ),
    );

  it('names a definition that is missing, every ten seconds and when it gives up', async () => {
    const one = controller<Site>(world.client, 'example.com/v1', 'sites', world.options);
    const message = await failureOf(one.reconcile(note).run());
    expect(message).to.match(ONE_LINE);
    expect(message).to.match(
      /first list of sites.*"example\.com"; install the CustomResourceDefinition/,
    );
    const waiting = world.log.filter((line) => line.includes('caches are not synced yet'));
    expect(waiting[0]).to.match(/install the CustomResourceDefinition/);
    expect(world.log.length).to.be.below(40);
  });

  it('names the right that is missing, for its lists and for its writes', async () => {
    const headers = { 'impersonate-user': 'shopper' };
    const transport = inProcessTransport((request) =>
      world.server.handler({ ...request, headers: { ...request.headers, ...headers } }),
    );
    const client = new Client({ transport, runtime: world.runtime });
    const options = { ...world.options, syncTimeoutMs: 15_000 };
    const message = await failureOf(
      controller(client, 'v1', 'configmaps', options).reconcile(note).run(),
    );
    expect(message).to.match(/shopper/);
    expect(message).to.match(/list/);
    await client.close();

    await make('a');
    const again = inProcessTransport((request) =>
      request.method === 'GET'
        ? world.server.handler(request)
        : world.server.handler({ ...request, headers: { ...request.headers, ...headers } }),
    );
    const reader = new Client({ transport: again, runtime: world.runtime });
    world.log.length = 0;
    const one = controller(reader, 'v1', 'configmaps', world.options).reconcile(
      async ({ metadata }, { resource, signal }) => {
        const labels = { seen: 'yes' };
        await resource('v1', 'configmaps').patch(
          metadata.name,
          { metadata: { labels } },
          { signal },
        );
      },
    );
    await world.start(one);
    expect(world.log[0]).to.match(
      /^error: reconcile failed: configmaps: default\/a: .*shopper.*patch/,
    );
    await world.runtime.run(one.close());
    await reader.close();
  });

  it('goes on with the other objects when a reconcile never returns, and names that one', async () => {
    await make('a', 'b', 'c');
    const options = { ...world.options, timeoutMs: 1_000, shutdownTimeoutMs: 1_000 };
    const one = controller(world.client, 'v1', 'configmaps', options).reconcile(
      async (object, context) => {
        if (context.key === 'default/a') await new Promise<never>(() => {});
        await note(object, context);
      },
    );
    const stop = new AbortController();
    const running = one.run({ signal: stop.signal });
    await world.runtime.advance(10_000);
    expect(runs).to.deep.equal(['default/b', 'default/c']);
    expect(world.log).to.deep.equal([
      'error: reconcile is overdue: configmaps: default/a: not finished after 1000 ms; the key stays in work until the reconcile ends; pass its signal on, or raise timeoutMs (failures=0)',
    ]);
    await world.after(maps().patch('a', { data: { x: 'y' } }));
    await world.after(maps().patch('b', { data: { x: 'y' } }));
    expect(runs).to.have.length(3);
    stop.abort();
    expect(await failureOf(running)).to.match(/to finish reconciling default\/a$/);
  });

  it('takes any thrown value of a reconcile as a failure of that object', async () => {
    const thrown: Readonly<Record<string, unknown>> = {
      text: 'two\nlines',
      nothing: undefined,
      null: null,
      number: 7,
      object: { code: 'X' },
      symbol: Symbol('s'),
    };
    const names = Object.keys(thrown);
    await make(...names, 'right');
    await world.start(
      controller(world.client, 'v1', 'configmaps', { ...world.options, maxRetries: 0 }).reconcile(
        async ({ metadata }) => {
          runs.push(metadata.name);
          // oxlint-disable-next-line typescript/only-throw-error
          if (metadata.name !== 'right') throw thrown[metadata.name];
        },
      ),
    );
    await world.runtime.advance(60_000);
    expect(runs).to.have.members([...names, 'right']);
    expect(world.log).to.have.length(names.length);
    for (const name of names) {
      expect(world.log.some((line) => line.includes(`default/${name}: given up: `))).to.equal(true);
    }
  });

  it('refuses to run under the name of another one with the same client, until that has ended', async () => {
    const made = () => controller(world.client, 'v1', 'configmaps', world.options).reconcile(note);
    const first = made();
    await world.start(first);
    expect(await failureOf(made().run())).to.equal(
      'a controller named "configmaps" runs already with this client: give one of them another option "name"',
    );
    await world.start(controller(world.user, 'v1', 'configmaps', world.options).reconcile(note));
    await world.runtime.run(first.close());
    await world.start(made());
  });

  it('counts what a mapping returns that is no key, logs it once, and reconciles the others', async () => {
    await make('a');
    const garbage: unknown[] = [7, null, {}, ['default/a', 7], 'a/b/c', '', 'two words', NaN];
    const one = controller(world.client, 'v1', 'configmaps', world.options)
      .watches('v1', 'secrets', ({ data }) => {
        const [index = ''] = Object.keys(data ?? {});
        return garbage[Number(index)] as string;
      })
      .watches('v1', 'services', () => {
        throw new Error('no mapping');
      })
      .reconcile(note);
    await world.start(one);
    const secrets = world.user.resource('v1', 'secrets', { namespace: 'default' });
    for (const index of garbage.keys()) {
      const stringData = { [String(index)]: 'x' };
      await world.after(secrets.create({ metadata: { name: `s-${index}` }, stringData }));
    }
    const counts = Object.fromEntries(
      one.inspect().sources.map(({ resource, failures }) => [resource, failures]),
    );
    expect(counts['v1/secrets']).to.equal(garbage.length);
    const lines = world.log.filter((line) => line.includes('v1/secrets'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(
      /mapping failed; .* return "namespace\/name".* resource=v1\/secrets /,
    );
    expect(runs).to.deep.equal(['default/a']);
  });

  it('passes a change whose predicate throws, and one whose predicate returns no boolean', async () => {
    await make('a');
    await world.start(
      controller(world.client, 'v1', 'configmaps', world.options)
        .where(({ type }) => {
          if (type === 'updated') throw new Error('oops');
          return 'yes' as unknown as boolean;
        })
        .reconcile(note),
    );
    await world.after(maps().patch('a', { data: { x: 'y' } }));
    await world.after(maps().patch('a', { data: { x: 'z' } }));
    expect(runs).to.have.length(3);
    expect(world.log).to.deep.equal([
      'error: predicate failed; the change counts as passed: oops (controller=configmaps resource=v1/configmaps type=updated key=default/a failures=1)',
    ]);
  });

  it('keeps its delays when the clock is set, and says so once', async () => {
    await world.runtime.run(world.user.applyAll([SITES]));
    const sites = world.user.resource<Site>('example.com/v1', 'sites', { namespace: 'default' });
    await world.after(sites.create(site('a')));
    const clock = new SettableClock(world.runtime);
    const times: number[] = [];
    const options = { ...world.options, runtime: clock };
    const one = controller<Site>(world.client, 'example.com/v1', 'sites', options).reconcile(
      async () => {
        times.push(world.runtime.monotonicMs());
        const status = times.length % 2 === 0 ? 'True' : 'False';
        return {
          requeueAfterMs: 10_000,
          conditions: [{ type: 'Ready', status, reason: 'Flips' }],
        };
      },
    );
    await world.start(one);
    for (const setByMs of [-86_400_000, 86_400_000, 86_400_000]) {
      clock.setByMs = setByMs;
      await world.runtime.advance(10_000);
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses).to.deep.equal([10_000, 10_000, 10_000]);
    expect(world.log).to.have.length(2);
    expect(world.log[0]).to.match(
      /^warn: clock jumped: the clock of this machine was set back by 86400 s, .*check its time synchronisation \(controller=sites\)$/,
    );
    expect(world.log[1]).to.match(/forward by 172800 s/);
    await world.runtime.run(one.close());
  });
});
