import { expect } from 'chai';
import type { ListerWatcher } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { OverlapBuffer } from '../../../lib/cache/reflector/watch/overlap-buffer.ts';
import { Reflector } from '../../../lib/cache/reflector/reflector.ts';
import type { ReplaceSink } from '../../../lib/cache/reflector/contract/reflector-sink.ts';
import { StreamOrder } from '../../../lib/cache/reflector/watch/stream-order.ts';
import { rejectTable } from '../../../lib/cache/reflector/failure/table-object.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { identityOf } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { DecodeCounts, UndecodedView } from '../support/undecoded-view.ts';

type Batch = readonly WatchEvent<UndecodedView>[];

const counts = new DecodeCounts();

const view = (name: string, resourceVersion: string): UndecodedView =>
  new UndecodedView({ name, namespace: 'shop', uid: `uid-${name}`, resourceVersion }, counts);

const event = (name: string, version: string): WatchEvent<UndecodedView> => ({
  type: 'MODIFIED',
  object: view(name, version),
});

async function* stream(batches: readonly Batch[], signal?: AbortSignal): AsyncGenerator<Batch> {
  yield* batches;
  await new Promise((resolve) => {
    signal?.addEventListener('abort', resolve);
  });
}

/** The calls that a sink gets from a reflector over a source with these events. */
async function notified(
  page: readonly UndecodedView[],
  ...batches: readonly Batch[]
): Promise<string> {
  const runtime = new VirtualRuntime();
  const calls: string[] = [];
  const names = (objects: readonly UndecodedView[]): string =>
    objects.map((object) => `${identityOf(object).name}@${object.resourceVersion}`).join(' ');
  const sink: ReplaceSink<UndecodedView> = {
    replace: (items) => calls.push(`replace ${names(items)}`),
    apply: (events) => calls.push(`apply ${names(events.map(({ object }) => object))}`),
    bookmark: () => {},
  };
  const listerWatcher: ListerWatcher<UndecodedView> = {
    description: 'things',
    supports: { watchList: page.length === 0 },
    list: () => Promise.resolve({ items: page, resourceVersion: '10' }),
    watch: ({ signal }) => Promise.resolve(stream(batches, signal)),
  };
  const reflector = new Reflector({ listerWatcher, sink, runtime });
  const stopper = new AbortController();
  const done = reflector.run({ signal: stopper.signal });
  await runtime.settle();
  stopper.abort();
  await runtime.run(done);
  return calls.join('; ');
}

describe('a view over bytes on its way through the reflector', () => {
  afterEach(() => {
    expect(counts).to.deep.equal({ metadata: 0, objects: 0 });
  });

  it('is not decoded by a list and a watch', async () => {
    const page = [view('a', '4'), view('b', '7')];
    const batches = [[event('a', '11'), event('b', '11'), event('b', '11')], [event('a', '9')]];
    expect(await notified(page, ...batches)).to.equal('replace a@4 b@7; apply a@11 b@11');
  });

  it('is not decoded by a streaming list', async () => {
    const bookmark = { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true } as const;
    const batches = [
      [event('a', '4'), event('b', '7')],
      [event('b', '8'), bookmark],
    ];
    expect(await notified([], ...batches, [event('b', '12')])).to.equal(
      'replace a@4 b@8; apply b@12',
    );
  });

  it('is not decoded by a watch beside a list', async () => {
    const batches = [[event('a', '4'), event('b', '12')], undefined];
    const read = (): Promise<Batch | undefined> => Promise.resolve(batches.shift());
    const buffer = new OverlapBuffer<UndecodedView>({ name: 'things', reader: { read } });
    buffer.release('10');
    expect((await buffer.read())?.length).to.equal(1);
  });

  it('is not decoded where its order or its kind is in question', () => {
    const order = new StreamOrder<UndecodedView>('10', false);
    expect(order.take([event('a', '11'), event('b', '11'), event('a', '11')])).to.have.length(2);
    rejectTable(view('a', '1'), 'things');
  });
});
