import type { Deployment } from '../../../lib/types/index.ts';
import { expect } from 'chai';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import { describeReason } from '../../../lib/controller/change/reconcile-reasons.ts';
import { TerminalError } from '../../../lib/controller/runtime/reconcile-error.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { conflict, isApplyConflict } from '../../../lib/meta/failure/failures.ts';
import { ControllerWorld, deployment } from './controller-world.ts';

const NAMESPACE = { namespace: 'default' };

describe('controller', () => {
  let world: ControllerWorld;
  /** The keys of all runs, in order. */
  let runs: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    runs = [];
  });

  afterEach(async () => {
    await world.stop();
  });

  const deployments = () => world.user.resource('apps/v1', 'deployments', NAMESPACE);
  const maps = () => world.user.resource('v1', 'configmaps', NAMESPACE);
  const noting = (): Controller<Deployment> =>
    controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
      async (_object, { key }) => {
        runs.push(key);
      },
    );

  it('reconciles each object that exists, and each new one', async () => {
    await world.after(deployments().create(deployment('a')));
    await world.start(noting());
    expect(runs).to.deep.equal(['default/a']);
    await world.after(deployments().create(deployment('b')));
    expect(runs).to.deep.equal(['default/a', 'default/b']);
  });

  it('recreates owned objects that are deleted during a run', async () => {
    await world.after(deployments().create(deployment('a')));
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .owns('v1', 'configmaps')
        .reconcile(async ({ metadata: { name } }, { resource, own, key, signal }) => {
          runs.push(key);
          const part = own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } as const);
          await resource('v1', 'configmaps').apply(part);
          await sleep(world.runtime, 1000, { signal });
        }),
    );
    await world.after(maps().delete('a'));
    expect(runs).to.have.length(1);
    await world.runtime.advance(2000);
    expect(runs).to.have.length(2);
    expect(await world.after(maps().get('a'))).to.have.nested.property('metadata.name', 'a');
  });

  it('says that it waits to be run', async () => {
    const one = noting();
    const failure = await world.runtime.run(
      one.whenReady({ timeoutMs: 1000 }).catch((error: unknown) => String(error)),
    );
    expect(failure).to.include('waiting for run() of the controller deployments');
    await world.runtime.run(one.close());
  });

  it('repairs edited fields by an apply, unless the call has force: false', async () => {
    await world.after(deployments().create(deployment('a')));
    const codes: unknown[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .owns('v1', 'configmaps')
        .reconcile(async ({ metadata: { name } }, { resource, own, failures }) => {
          const part = own({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name },
            data: { page: 'right' },
          } as const);
          const options = { fieldManager: 'pages' };
          try {
            await resource('v1', 'configmaps').apply(part, { ...options, force: false });
          } catch (error) {
            codes.push(isApplyConflict(error) && failures === 0);
            await resource('v1', 'configmaps').apply(part, options);
          }
        }),
    );
    await world.after(maps().patch('a', { data: { page: 'wrong' } }, { fieldManager: 'editor' }));
    expect((await world.after(maps().get('a'))).data).to.deep.equal({ page: 'right' });
    expect(codes).to.deep.equal([true]);
  });

  it('aborts the requests of a run that takes too long, also those without a signal', async () => {
    await world.after(deployments().create(deployment('a')));
    const ends: unknown[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', {
        ...world.options,
        timeoutMs: 1000,
        maxRetries: 0,
      }).reconcile(async (_object, { resource, signal }) => {
        try {
          for await (const event of resource('v1', 'configmaps').watch()) ends.push(event.type);
        } catch (error) {
          ends.push(error === signal.reason);
        }
      }),
    );
    await world.runtime.advance(1001);
    expect(ends).to.deep.equal([true]);
  });

  it('gives the object as it is stored, with its type', async () => {
    await world.after(deployments().create(deployment('a')));
    const seen: (number | undefined)[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
        async ({ metadata, spec }) => {
          expect(metadata.uid).to.match(/-/);
          seen.push(spec?.replicas);
        },
      ),
    );
    expect(seen).to.deep.equal([1]);
  });

  it('leaves out updates of the status alone, but not those of labels, spec and deletion', async () => {
    await world.after(deployments().create(deployment('a')));
    await world.start(noting());
    const change = async (patch: object, subresource?: string): Promise<number> => {
      const before = runs.length;
      await world.after(deployments().patch('a', patch, { subresource }));
      return runs.length - before;
    };
    expect(await change({ status: { replicas: 1, readyReplicas: 1 } }, 'status')).to.equal(0);
    expect(await change({ spec: { replicas: 2 } })).to.equal(1);
    expect(await change({ metadata: { labels: { tier: 'front' } } })).to.equal(1);
    expect(await change({ metadata: { annotations: { note: 'x' } } })).to.equal(1);
    expect(await change({ metadata: { finalizers: ['example.com/hold'] } })).to.equal(1);
    await world.after(deployments().delete('a'));
    expect(runs).to.have.length(6);
    await world.after(deployments().patch('a', { metadata: { finalizers: null } }));
  });

  it('reconciles after every update with option everyUpdate', async () => {
    await world.after(deployments().create(deployment('a')));
    const options = { ...world.options, everyUpdate: true };
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', options).reconcile(
        async (_one, { key }) => {
          runs.push(key);
        },
      ),
    );
    const status = { status: { replicas: 1, readyReplicas: 1 } };
    await world.after(deployments().patch('a', status, { subresource: 'status' }));
    expect(runs).to.have.length(2);
  });

  it('reconciles the owner of an object that changes, and returns what it owns', async () => {
    await world.after(deployments().create(deployment('a')));
    const owned: string[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .owns('v1', 'configmaps')
        .reconcile(async (object, context) => {
          runs.push(context.key);
          const own = context.owned('v1', 'configmaps');
          owned.push(
            own
              .map(({ metadata }) => metadata.name)
              .toSorted()
              .join(' '),
          );
          if (own.length > 0) return;
          const metadata = {
            name: `${object.metadata.name}-config`,
            ownerReferences: [context.ownerReference],
          };
          await context.resource('v1', 'configmaps').create({ metadata });
          // The answer of the write is in the cache at once.
          owned.push(
            context
              .owned('v1', 'configmaps')
              .map(({ metadata: { name } }) => name)
              .join(),
          );
        }),
    );
    // The own write was no reason for another run.
    expect(runs).to.deep.equal(['default/a']);
    expect(owned).to.deep.equal(['', 'a-config']);
    await world.after(maps().create({ metadata: { name: 'stranger' } }));
    expect(runs).to.have.length(1);
    await world.after(maps().patch('a-config', { data: { changed: 'by another' } }));
    expect(runs).to.have.length(2);
    await world.after(maps().delete('a-config'));
    expect(runs).to.have.length(3);
    expect(owned.slice(2)).to.deep.equal(['a-config', '', 'a-config']);
  });

  it('reconciles what the mapping of a watched object returns, before and after an update', async () => {
    for (const name of ['a', 'b']) await world.after(deployments().create(deployment(name)));
    const config = { metadata: { name: 'config' }, data: { for: 'a' } };
    await world.after(maps().create(config));
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .watches('v1', 'configmaps', ({ data, metadata }) =>
          data?.['for'] === undefined ? undefined : { ...metadata, name: data['for'] },
        )
        .reconcile(async (_object, { key }) => {
          runs.push(key);
        }),
    );
    expect(runs).to.have.members(['default/a', 'default/b']);
    runs.length = 0;
    await world.after(maps().patch('config', { data: { for: 'b' } }));
    expect(runs).to.deep.equal(['default/a', 'default/b']);
  });

  it('logs the first failure of a mapping, counts all, and goes on with the others', async () => {
    await world.after(deployments().create(deployment('a')));
    for (let index = 0; index < 12; index += 1)
      await world.after(maps().create({ metadata: { name: `map-${index}` } }));
    const one = controller(world.client, 'apps/v1', 'deployments', world.options)
      .watches('v1', 'configmaps', () => 7 as unknown as string)
      .reconcile(async (_object, { key }) => {
        runs.push(key);
      });
    await world.start(one);
    expect(runs).to.deep.equal(['default/a']);
    expect(world.log).to.have.length(2);
    expect(world.log[0]).to.match(
      /^error: mapping failed; no object is reconciled for the change: it returned a number: return "namespace\/name", .*type=added key=default\/map-\d+ /,
    );
    expect(world.log[1]).to.match(/failures=10\)$/);
    const source = one.inspect().sources.find(({ resource }) => resource === 'v1/configmaps');
    expect(source?.failures).to.be.at.least(12);
  });

  it('writes a returned status once, and its own write is no reason for a run', async () => {
    await world.after(deployments().create(deployment('a')));
    const options = { ...world.options, everyUpdate: true };
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', options).reconcile(
        async (object, { key }) => {
          runs.push(key);
          return { status: { replicas: object.spec?.replicas, readyReplicas: 1 } };
        },
      ),
    );
    expect(runs).to.deep.equal(['default/a']);
    const { status, metadata } = await world.after(deployments().get('a'));
    expect(status).to.deep.include({ replicas: 1, readyReplicas: 1 });
    await world.after(deployments().patch('a', { metadata: { labels: { tier: 'front' } } }));
    expect(runs).to.have.length(2);
    const { metadata: after } = await world.after(deployments().get('a'));
    // Only the user has written.
    expect(Number(after.resourceVersion)).to.equal(Number(metadata.resourceVersion) + 1);
  });

  it('does not need a status of an object that is gone, but fails where there is no status to write', async () => {
    await world.after(maps().create({ metadata: { name: 'map' } }));
    const one = controller(world.client, 'v1', 'configmaps', world.options).reconcile(async () => ({
      status: { phase: 'ready' },
    }));
    await world.start(one);
    expect(world.log.filter((line) => line.includes('default/map'))).to.have.length.above(0);
    await world.runtime.run(one.close());
    world.log.length = 0;
    await world.after(deployments().create(deployment('gone')));
    const other = controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
      async (_object, { resource, signal }) => {
        await resource('apps/v1', 'deployments').delete('gone', { signal });
        return { status: { replicas: 1 } };
      },
    );
    await world.start(other);
    expect(world.log).to.deep.equal([]);
    expect(other.inspect().history.map(({ result }) => result)).to.include('done');
  });

  it('runs again after the time that a run asks for', async () => {
    await world.after(deployments().create(deployment('a')));
    const times: number[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(async () => {
        times.push(world.runtime.monotonicMs());
        return { requeueAfterMs: 10_000 };
      }),
    );
    await world.runtime.advance(10_000);
    await world.runtime.advance(10_000);
    const [first = 0] = times;
    expect(times.map((time) => time - first)).to.deep.equal([0, 10_000, 20_000]);
  });

  it('retries a failure and logs it; a conflict is retried and not logged', async () => {
    await world.after(deployments().create(deployment('a')));
    const failures = [
      new Error('no luck'),
      conflict({ group: 'apps', resource: 'deployments' }, 'a', 'changed'),
    ];
    const one = controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
      async (_object, context) => {
        runs.push(`${context.failures} ${describeReason(context.reasons[0]!).split(' ')[0]}`);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
    );
    await world.start(one);
    await world.runtime.advance(1_000);
    expect(runs).to.deep.equal(['0 added', '1 retry', '2 retry']);
    expect(world.log).to.have.length(1);
    expect(world.log[0]).to.match(/^error: reconcile failed: deployments: default\/a: no luck/);
    expect(one.inspect().history.map(({ result }) => result)).to.deep.equal([
      'failed',
      'conflict',
      'done',
    ]);
  });

  it('pauses and goes on, while another one runs', async () => {
    await world.after(deployments().create(deployment('a')));
    const one = noting();
    const others: string[] = [];
    const other = controller(world.client, 'apps/v1', 'deployments', {
      ...world.options,
      name: 'other',
    }).reconcile(async (_object, { key }) => void others.push(key));
    await world.start(one);
    await world.start(other);
    one.pause();
    expect(one.inspect().phase).to.equal('paused');
    await world.after(deployments().patch('a', { spec: { replicas: 2 } }));
    await world.after(deployments().patch('a', { spec: { replicas: 3 } }));
    expect([runs.length, others.length]).to.deep.equal([1, 3]);
    one.resume();
    await world.runtime.settle();
    expect([runs.length, others.length]).to.deep.equal([2, 3]);
    one.pause();
    await world.runtime.run(one.close());
  });

  it('creates or updates with the context, and does not wake up from it', async () => {
    await world.after(deployments().create(deployment('a')));
    const results: string[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .owns('v1', 'configmaps')
        .reconcile(async ({ metadata: { name }, spec }, { resource, own, signal }) => {
          const data = { replicas: String(spec?.replicas) };
          const { result } = await resource('v1', 'configmaps').createOrUpdate(
            name,
            (stored) => own({ ...stored, metadata: { ...stored?.metadata, name }, data }),
            { signal },
          );
          results.push(result);
        }),
    );
    await world.after(deployments().patch('a', { spec: { replicas: 2 } }));
    await world.after(deployments().patch('a', { metadata: { labels: { x: 'y' } } }));
    expect(results).to.deep.equal(['created', 'updated', 'unchanged']);
    const { metadata } = await world.after(maps().get('a'));
    expect(metadata.ownerReferences?.[0]?.kind).to.equal('Deployment');
  });

  it('does not retry a TerminalError before the next change', async () => {
    await world.after(deployments().create(deployment('a')));
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
        async (_object, { key }) => {
          runs.push(key);
          throw new TerminalError('the image is no image');
        },
      ),
    );
    await world.runtime.advance(60_000);
    expect(runs).to.have.length(1);
    await world.after(deployments().patch('a', { spec: { replicas: 2 } }));
    expect(runs).to.have.length(2);
  });

  it('says why an object was reconciled, and keeps the last runs', async () => {
    await world.after(deployments().create(deployment('a')));
    const options = { ...world.options, historySize: 3 };
    const one = controller(world.client, 'apps/v1', 'deployments', options)
      .owns('v1', 'configmaps')
      .reconcile(async () => {});
    await world.start(one);
    const { metadata } = await world.after(deployments().get('a'));
    const { uid } = metadata;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', uid, controller: true };
    await world.after(maps().create({ metadata: { name: 'config', ownerReferences: [owner] } }));
    one.enqueue({ namespace: 'default', name: 'a' });
    await world.runtime.settle();
    one.enqueue('default/none');
    await world.runtime.settle();
    const { history, phase, queue } = one.inspect();
    expect(phase).to.equal('running');
    expect([queue.waiting.count, queue.delayed.count, queue.running.count]).to.deep.equal([
      0, 0, 0,
    ]);
    expect(
      history.map(({ key, result, reasons }) => [key, result, reasons.map(describeReason)[0]]),
    ).to.deep.equal([
      [
        'default/a',
        'done',
        `added v1/configmaps default/config @${Number(metadata.resourceVersion) + 1} (owned)`,
      ],
      ['default/a', 'done', 'enqueued'],
      ['default/none', 'gone', 'enqueued'],
    ]);
  });

  it('takes a predicate that throws as passed, and logs it', async () => {
    await world.after(deployments().create(deployment('a')));
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .where(() => {
          throw new Error('oops');
        })
        .reconcile(async (_object, { key }) => {
          runs.push(key);
        }),
    );
    expect(runs).to.deep.equal(['default/a']);
    expect(world.log).to.deep.equal([
      'error: predicate failed; the change counts as passed: oops (controller=deployments resource=apps/v1/deployments type=added key=default/a failures=1)',
    ]);
  });

  it('shares informers with others, which go on when it ends', async () => {
    await world.after(deployments().create(deployment('a')));
    const informers = new SharedInformerFactory(world.client, world.options);
    const shared = informers.for('apps/v1', 'deployments');
    const options = { ...world.options, informers };
    const one = controller(world.client, 'apps/v1', 'deployments', options).reconcile(
      async (_object, { key }) => {
        runs.push(key);
      },
    );
    await world.start(one);
    expect(informers.informers).to.have.length(1);
    await world.runtime.run(one.close());
    expect(shared.phase).not.to.equal('stopped');
    await world.after(deployments().create(deployment('b')));
    expect(runs).to.deep.equal(['default/a']);
    expect(shared.indexer.has('default/b')).to.equal(true);
    await world.runtime.run(informers.close());
  });

  it('names the resource that cannot be listed when it gives up', async () => {
    const options = { ...world.options, syncTimeoutMs: 5_000 };
    const one = controller(world.client, 'example.com/v1', 'widgets', options).reconcile(
      async () => {},
    );
    const failure = await world.runtime.run(one.run().catch((error: Error) => error));
    expect(failure).to.be.instanceOf(Error);
    expect((failure as Error).message).to.match(/widgets/);
    expect(one.inspect().phase).to.equal('stopped');
  });

  it('runs once, and whenReady fails when it ends before', async () => {
    const one = noting();
    const waiting = one.whenReady().catch((error: { code: string }) => error.code);
    await world.runtime.run(one.close());
    expect(await waiting).to.equal('CLOSED');
    const again = await one.run().catch((error: { code: string }) => error.code);
    expect(again).to.equal('ALREADY_STARTED');
  });

  it('refuses wrong declarations with a text that says what to do', () => {
    const builder = () => controller(world.client, 'apps/v1', 'deployments', world.options);
    expect(() => builder().owns('v1', 'pods').owns('v1', 'pods')).to.throw(/declared twice/);
    expect(() => builder().reconcile(7 as never)).to.throw(/must get a function, not number/);
    expect(() => builder().watches('v1', 'pods', undefined as never)).to.throw(
      /must be a function/,
    );
    const wrong = { ...world.options, workers: 3 } as object;
    expect(() => controller(world.client, 'v1', 'pods', wrong)).to.throw(/workers/);
  });
});
