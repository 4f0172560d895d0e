import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { GoneObjects } from '../../../../lib/controller/builder/run/gone-objects.ts';
import { LazyChange } from '../../../../lib/controller/change/object-change.ts';
import { TerminalError } from '../../../../lib/controller/runtime/reconcile-error.ts';
import type { ConfigMap } from '../../../../lib/types/built-in/core-v1-kinds.ts';
import { ControllerWorld } from '../controller-world.ts';

describe('whenGone of a controller', () => {
  let world: ControllerWorld;
  let events: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    events = [];
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const builder = () => controller(world.client, 'v1', 'configmaps', world.options);

  it('gets a deleted object with its last state, and a key without an object', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { color: 'blue' } }));
    const one = builder()
      .whenGone(async ({ key, name, namespace, uid, object }, { resource, reasons, signal }) => {
        events.push(`${key} ${name} ${namespace} ${uid === object?.metadata.uid}`);
        events.push(`${object?.data?.['color']} ${reasons[0]?.type}`);
        expect((await resource('v1', 'configmaps').list({ signal })).items).to.be.an('array');
      })
      .reconcile(async () => {});
    await world.start(one);
    await world.after(maps().delete('a'));
    expect(events).to.deep.equal(['default/a a default true', 'blue deleted']);
    one.enqueue('default/never');
    await world.runtime.settle();
    expect(events.slice(2)).to.deep.equal([
      'default/never never default true',
      'undefined enqueued',
    ]);
    expect(one.inspect().history.at(-1)?.result).to.equal('gone');
  });

  it('runs again when it throws, when it asks for it, and not after a TerminalError', async () => {
    const outcomes = [
      () => {
        throw new Error('not yet');
      },
      () => ({ requeueAfterMs: 5_000 }),
      () => {
        throw new TerminalError('never');
      },
    ];
    await world.after(maps().create({ metadata: { name: 'a' } }));
    await world.start(
      builder()
        .whenGone(async ({ uid }) => {
          events.push(uid === undefined ? 'unknown' : 'known');
          return outcomes.shift()?.();
        })
        .reconcile(async () => {}),
    );
    await world.after(maps().delete('a'));
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['known', 'known']);
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['known', 'known', 'known']);
    expect(world.log).to.have.length(2);
  });

  it('runs again at the time that it has named when another object has the name', async () => {
    await world.after(maps().create({ metadata: { name: 'a' } }));
    const answers = [{ requeueAfterMs: 30_000 }, undefined];
    const one = builder()
      .whenGone(async ({ object }) => {
        events.push(object === undefined ? 'unknown' : 'gone');
        return answers.shift();
      })
      .reconcile(async () => {
        events.push('there');
        if (events.length > 1) return;
        await maps().delete('a');
        await maps().create({ metadata: { name: 'a' } });
      });
    await world.start(one);
    expect(events).to.deep.equal(['there', 'gone', 'there']);
    await world.runtime.advance(60_000);
    expect(events.slice(3)).to.deep.equal(['gone', 'there']);
    await world.runtime.advance(60_000);
    expect(events).to.have.length(5);
    expect(one.inspect().history.map(({ result }) => result)).to.deep.equal([
      'done',
      'requeue',
      'done',
    ]);
  });

  it('runs again at the time that it has named when the other object of the name fails for good', async () => {
    await world.after(maps().create({ metadata: { name: 'a' } }));
    const answers = [{ requeueAfterMs: 30_000 }, undefined];
    await world.start(
      builder()
        .whenGone(async () => {
          events.push('gone');
          return answers.shift();
        })
        .reconcile(async () => {
          events.push('there');
          if (events.length > 1) throw new TerminalError('never');
          await maps().delete('a');
          await maps().create({ metadata: { name: 'a' } });
        }),
    );
    expect(events).to.deep.equal(['there', 'gone', 'there']);
    await world.runtime.advance(60_000);
    expect(events.slice(3)).to.deep.equal(['gone', 'there']);
    await world.runtime.advance(60_000);
    expect(events).to.have.length(5);
  });

  it('runs again at the earliest time of several objects of one name', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { version: '1' } }));
    const waits: Record<string, number[]> = { 1: [5_000], 2: [60_000] };
    const one = builder()
      .whenGone(async ({ object }) => {
        const version = object?.data?.['version'] ?? '';
        events.push(`gone ${version}`);
        return { requeueAfterMs: waits[version]?.shift() ?? 0 };
      })
      .reconcile(async () => {
        if (events.length > 0) return;
        events.push('there');
        await maps().delete('a');
        await maps().create({ metadata: { name: 'a' }, data: { version: '2' } });
        await maps().delete('a');
      });
    await world.start(one);
    expect(events.slice(1)).to.deep.equal(['gone 1', 'gone 2']);
    await world.runtime.advance(6_000);
    expect(events.slice(3)).to.deep.equal(['gone 1', 'gone 2']);
    await world.runtime.advance(120_000);
    expect(events).to.have.length(5);
  });

  /** The first run deletes the object and creates it again with versions 2 and 3. */
  async function replaceTwice({ data }: ConfigMap): Promise<void> {
    events.push(`there ${data?.['version']}`);
    if (events.length > 1) return;
    for (const version of ['2', '3']) {
      await maps().delete('a');
      await maps().create({ metadata: { name: 'a' }, data: { version } });
    }
  }

  it('does not keep other objects of the name from their run when it throws a TerminalError', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { version: '1' } }));
    await world.start(
      builder()
        .whenGone(async ({ object }) => {
          events.push(`gone ${object?.data?.['version']}`);
          throw new TerminalError('never');
        })
        .reconcile(replaceTwice),
    );
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['there 1', 'gone 1', 'gone 2', 'there 3']);
    expect(world.log).to.have.length(2);
  });

  it('is not called again with an object that has used up its retries', async () => {
    await world.after(maps().create({ metadata: { name: 'a' } }));
    const options = { ...world.options, maxRetries: 1 };
    const one = controller(world.client, 'v1', 'configmaps', options)
      .whenGone(async ({ object }) => {
        events.push(object === undefined ? 'unknown' : 'known');
        if (object !== undefined) throw new Error('never');
      })
      .reconcile(async () => {});
    await world.start(one);
    await world.after(maps().delete('a'));
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['known', 'known']);
    one.enqueue('default/a');
    await world.runtime.settle();
    expect(events.slice(2)).to.deep.equal(['unknown']);
  });

  it('does not keep other objects of the name from their run when its retries are used up', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { version: '1' } }));
    const options = { ...world.options, maxRetries: 0 };
    await world.start(
      controller(world.client, 'v1', 'configmaps', options)
        .whenGone(async ({ object }) => {
          events.push(`gone ${object?.data?.['version']}`);
          throw new Error('never');
        })
        .reconcile(replaceTwice),
    );
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['there 1', 'gone 1', 'gone 2', 'there 3']);
  });

  it('is not called without an object when the last of several throws a TerminalError', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { version: '1' } }));
    await world.start(
      builder()
        .whenGone(async ({ object }) => {
          const version = object?.data?.['version'];
          events.push(`gone ${version}`);
          if (version === '2') throw new TerminalError('never');
        })
        .reconcile(async () => {
          if (events.length > 0) return;
          events.push('there');
          await maps().delete('a');
          await maps().create({ metadata: { name: 'a' }, data: { version: '2' } });
          await maps().delete('a');
        }),
    );
    await world.runtime.advance(60_000);
    expect(events).to.deep.equal(['there', 'gone 1', 'gone 2']);
    expect(world.log).to.have.length(1);
  });

  it('refuses results that would be ignored', async () => {
    await world.after(maps().create({ metadata: { name: 'a' } }));
    await world.start(
      builder()
        .whenGone((async () => ({ terminal: 'never' })) as never)
        .reconcile(async () => {}),
    );
    await world.after(maps().delete('a'));
    expect(world.log[0]).to.include(
      'whenGone: unknown result "terminal"; return nothing, or requeueAfterMs',
    );
  });

  it('distinguishes an object from the next one of its name', async () => {
    await world.after(maps().create({ metadata: { name: 'a' }, data: { version: '1' } }));
    await world.start(
      builder()
        .whenGone(async ({ object }) => {
          events.push(`gone ${object?.data?.['version']}`);
        })
        .reconcile(async ({ data }) => {
          events.push(`there ${data?.['version']}`);
          // The object is deleted and created again during its run.
          if (events.length > 1) return;
          await maps().delete('a');
          await maps().create({ metadata: { name: 'a' }, data: { version: '2' } });
        }),
    );
    expect(events).to.deep.equal(['there 1', 'gone 1', 'there 2']);
  });

  it('waits for the event of a deletion that the controller has made itself', () => {
    const gone = new GoneObjects();
    const key = 'default/a';
    gone.announce(key);
    expect(gone.of(key, undefined)).to.deep.equal([]);
    const metadata = { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: '' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    gone.add(new LazyChange('deleted', { key }, { metadata, object }));
    const [one] = gone.of(key, undefined);
    expect(one?.object).to.equal(object);
    if (one !== undefined) gone.forget(one);
    expect(gone.size).to.equal(0);
    expect(gone.of(key, undefined)).to.have.length(1);
  });

  it('has nothing left of keys that have gone to another replica', () => {
    const gone = new GoneObjects();
    for (const name of ['a', 'b']) {
      const metadata = { name, uid: name, resourceVersion: '7', creationTimestamp: '' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      gone.add(new LazyChange('deleted', { key: `default/${name}` }, { metadata, object }));
    }
    gone.leave((key) => key === 'default/a');
    expect(gone.size).to.equal(1);
    gone.forgetKey('default/b');
    expect(gone.size).to.equal(0);
  });

  it('is not called for deletions that a predicate leaves out', async () => {
    await world.after(maps().create({ metadata: { name: 'a' } }));
    await world.start(
      builder()
        .where(({ type }) => type !== 'deleted')
        .whenGone(async () => {
          events.push('gone');
        })
        .reconcile(async () => {}),
    );
    await world.after(maps().delete('a'));
    expect(events).to.deep.equal([]);
  });
});
