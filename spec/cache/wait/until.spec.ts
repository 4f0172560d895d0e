import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { until } from '../../../lib/cache/wait/until.ts';
import { BatchChannel } from '../../../lib/kernel/data/batch-channel.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import type { ObjectEvent } from '../../../lib/meta/watch-event.ts';
import { expired } from '../../../lib/meta/failure/failures.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, rejection, type Pod } from '../support/objects.ts';

interface Event {
  readonly type: string;
  readonly name: string;
}

const event = (type: string, name: string = 'a'): Event => ({ type, name });
const is =
  (type: string) =>
  (one: Event): boolean =>
    one.type === type;

/** A stream that is written by hand and knows whether it was left. */
class Events implements AsyncIterable<Event> {
  left = false;
  #reads = 0;
  readonly #channel: BatchChannel<Event> = new BatchChannel<Event>({
    name: 'events',
    capacity: 100,
    onEnd: () => {
      this.left = true;
    },
  });

  get reads(): number {
    return this.#reads;
  }

  push(...events: readonly Event[]): this {
    for (const one of events) this.#channel.push(one);
    return this;
  }

  end(): this {
    this.#channel.end();
    return this;
  }

  fail(error: unknown): this {
    this.#channel.fail(error);
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    const batches = this.#channel[Symbol.asyncIterator]();
    let batch: readonly Event[] = [];
    return {
      next: async () => {
        this.#reads += 1;
        if (batch.length === 0) batch = (await batches.next()).value ?? [];
        const [value, ...rest] = batch;
        batch = rest;
        return value === undefined ? { done: true, value: undefined } : { done: false, value };
      },
      return: async () => {
        await batches.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

describe('until, on a stream of events', () => {
  it('resolves with the event that satisfies the condition, and leaves the stream', async () => {
    const events = new Events().push(event('ADDED'), event('MODIFIED'), event('DELETED'));
    expect(await until(events, is('MODIFIED'))).to.deep.equal(event('MODIFIED'));
    expect(events.left).to.equal(true);
    expect(events.reads, 'it reads no further').to.equal(2);
  });

  it('takes conditions one after the other', async () => {
    const events = new Events().push(
      event('DELETED'),
      event('ADDED', 'a'),
      event('ADDED', 'b'),
      event('DELETED', 'c'),
    );
    const last = await until(events, [is('ADDED'), is('DELETED')]);
    expect(last).to.deep.equal(event('DELETED', 'c'));
  });

  it('tries a new condition on the event that satisfied the one before it', async () => {
    const events = new Events().push(event('ADDED', 'a'), event('MODIFIED', 'a'));
    const asked: string[] = [];
    const noting =
      (name: string, condition: (one: Event) => boolean) =>
      (one: Event): boolean => {
        asked.push(`${name} ${one.type}`);
        return condition(one);
      };
    const last = await until(events, [
      noting('first', is('ADDED')),
      noting('second', ({ name }) => name === 'a'),
      noting('third', is('MODIFIED')),
    ]);
    expect(last).to.deep.equal(event('MODIFIED'));
    expect(asked).to.deep.equal(['first ADDED', 'second ADDED', 'third ADDED', 'third MODIFIED']);
  });

  it('waits without a limit when there is none, and notices nothing of a limit that is not reached', async () => {
    const runtime = new VirtualRuntime();
    const events = new Events();
    const wait = until(events, is('ADDED'), { runtime, timeoutMs: 1000 });
    await runtime.advance(999);
    events.push(event('ADDED'));
    expect(await runtime.run(wait)).to.deep.equal(event('ADDED'));
    expect(runtime.pending).to.equal(0);
  });

  it('rejects when the stream ends first, saying which condition waits', async () => {
    const events = new Events().push(event('ADDED'), event('ADDED')).end();
    const error = await rejection(until(events, [is('ADDED'), is('DELETED')]));
    expect(error.code).to.equal('WATCH_CLOSED');
    expect(error.message).to.match(
      /^the stream of events ended while it was waited for condition 2 of 2, .*; it has seen 2 events$/,
    );
  });

  it('rejects at its deadline, saying which condition waits, and leaves the stream', async () => {
    const runtime = new VirtualRuntime();
    const events = new Events().push(event('ADDED'));
    const isLarge = ({ name }: Event): boolean => name.length > 1;
    const error = await rejection(runtime.run(until(events, isLarge, { runtime, timeoutMs: 700 })));
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.match(
      /^gave up after 700 ms waiting for the stream of events: condition .*name\.length ?> ?1; it has seen 1 event$/,
    );
    expect(events.left).to.equal(true);
  });

  it('says at its deadline that those before it are satisfied, and by how much it has seen', async () => {
    const runtime = new VirtualRuntime();
    const events = new Events().push(event('ADDED'));
    const conditions = [is('ADDED'), is('ADDED'), ({ type }: Event): boolean => type === 'GONE'];
    const error = await rejection(
      runtime.run(until(events, conditions, { runtime, timeoutMs: 10_000 })),
    );
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.match(/condition 3 of 3, .*GONE.*; it has seen 1 event$/);
  });

  it('rejects with the reason of the signal, aborted before or meanwhile', async () => {
    const stopper = new AbortController();
    const { signal } = stopper;
    const events = new Events();
    const wait = rejection(until(events, is('ADDED'), { signal }));
    const reason = new Error('enough');
    stopper.abort(reason);
    expect(await wait).to.equal(reason);
    expect(events.left).to.equal(true);
    const unread = new Events();
    expect(await rejection(until(unread, is('ADDED'), { signal }))).to.equal(reason);
    expect(unread.reads).to.equal(0);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('rejects with what a condition throws, and with what the stream throws', async () => {
    const oops = new Error('oops');
    const events = new Events().push(event('ADDED'));
    const throwing = (): never => {
      throw oops;
    };
    expect(await rejection(until(events, [is('ADDED'), throwing]))).to.equal(oops);
    expect(events.left).to.equal(true);
    const broken = new Error('broken');
    const failing = new Events().push(event('ADDED')).fail(broken);
    expect(await rejection(until(failing, is('DELETED')))).to.equal(broken);
  });

  it('gives up a stream that hangs, even if its return rejects', async () => {
    const runtime = new VirtualRuntime();
    const hanging: AsyncIterable<Event> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => Promise.reject(new Error('no')),
      }),
    };
    const error = await rejection(
      runtime.run(until(hanging, is('ADDED'), { runtime, timeoutMs: 10 })),
    );
    expect(error.code).to.equal('TIMEOUT');
  });

  it('refuses invalid conditions, sources and options', async () => {
    const call = until as unknown as (...given: readonly unknown[]) => Promise<unknown>;
    const wrong: readonly (readonly unknown[])[] = [
      [new Events(), []],
      [new Events(), undefined],
      [new Events(), ['ADDED']],
      [new Events(), is('ADDED'), { timeout: 5 }],
      [new Events(), is('ADDED'), { resourceVersion: '5' }],
      [new Events(), is('ADDED'), { timeoutMs: -5 }],
      [{}, is('ADDED')],
      [undefined, is('ADDED')],
    ];
    for (const given of wrong) {
      expect((await rejection(call(...given))).code).to.equal('INVALID_OPTION');
    }
    const later = (async () => false) as unknown as () => boolean;
    const error = await rejection(until(new Events().push(event('ADDED')), later));
    expect(error.message).to.include('must be synchronous');
  });
});

describe('until, on the watch of a collection', () => {
  const logger = silentLogger;
  const rig = (): { runtime: VirtualRuntime; source: ScriptedListerWatcher<Pod> } => {
    const runtime = new VirtualRuntime();
    const objects = [pod('a'), pod('b')];
    return {
      runtime,
      source: new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' }),
    };
  };
  const isDeleted = ({ type }: ObjectEvent<ObjectView<Pod>>): boolean => type === 'DELETED';

  it('sees what happens after the resource version, across watches that end', async () => {
    const { runtime, source } = rig();
    const isNamed = ({ object }: ObjectEvent<ObjectView<Pod>>): boolean =>
      object.metadata.name === 'a';
    const wait = until(source, [isDeleted, isNamed], { runtime, logger, resourceVersion: '2' });
    await runtime.settle();
    source.dropConnections();
    source.delete({ namespace: 'shop', name: 'b' });
    await runtime.advance(5000);
    source.closeWatches();
    source.add(pod('c'));
    source.modify(pod('a'));
    const { type, object } = await runtime.run(wait);
    expect(`${type} ${object.metadata.resourceVersion}`).to.equal('MODIFIED 5');
    expect(source.openWatches).to.equal(0);
    expect(runtime.pending).to.equal(0);
  });

  it('gives up at its deadline, also while it waits for its next watch', async () => {
    const { runtime, source } = rig();
    source.failNext('watch', new Error('down'), 100);
    const options = { runtime, logger, resourceVersion: '2', timeoutMs: 10_000 };
    const error = await rejection(runtime.run(until(source, isDeleted, options)));
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.include('waiting for the watch of pods: condition');
    expect(runtime.pending).to.equal(0);
  });

  it('rejects when history does not reach back', async () => {
    const { runtime, source } = rig();
    source.failNext('watch', expired('too old'));
    const error = await rejection(
      runtime.run(until(source, isDeleted, { runtime, resourceVersion: '1' })),
    );
    expect(error.code).to.equal('EXPIRED');
  });

  it('needs a resource version to begin at', async () => {
    const { source } = rig();
    for (const resourceVersion of ['', '0']) {
      const error = await rejection(until(source, isDeleted, { resourceVersion }));
      expect(error.code).to.equal('INVALID_OPTION');
    }
  });
});
