import { expect } from 'chai';
import { pod, podKey, PREFIX, WatchRecorder, type CacherHarness } from './cacher-harness.ts';

const WATCH_LIST = { sendInitialEvents: true, progressNotify: true } as const;

/** Writers and joining watchers in an order drawn from the seed; every watcher has to end up with the storage's content. */
export async function checkInterleaving(
  { runtime, cacher, raw }: CacherHarness,
  seed: number,
): Promise<void> {
  const recorders: { readonly recorder: WatchRecorder; readonly known: Set<string> }[] = [];
  const hop = (): Promise<void> => new Promise((resolve) => runtime.queueTask(resolve));
  const write = async (): Promise<void> => {
    for (let round = 0; round < 30; round += 1) {
      const name = `p${Math.floor(runtime.random() * 6)}`;
      const key = podKey(name);
      if (runtime.random() < 0.4) await raw.delete(key).catch(() => {});
      else
        await raw.guaranteedUpdate(key, () => ({ object: pod(name, { node: `n${round}` }) }), {
          ignoreNotFound: true,
        });
      await hop();
    }
  };
  const join = async (): Promise<void> => {
    for (let round = 0; round < 10; round += 1) {
      await hop();
      const fresh = runtime.random() < 0.5;
      const list = await cacher.getList(PREFIX);
      const { resourceVersion } = list;
      const options = fresh ? WATCH_LIST : { resourceVersion };
      const known = new Set(fresh ? [] : list.items.map(({ key }) => key));
      recorders.push({ recorder: new WatchRecorder(await cacher.watch(PREFIX, options)), known });
    }
  };
  await runtime.run(Promise.all([write(), join(), write()]));
  await runtime.advance(1000);
  const { items } = await raw.getList(PREFIX);
  const expected = items.map(({ key, resourceVersion }) => `${key}@${resourceVersion}`);
  for (const { recorder, known } of recorders) {
    expect(replay(recorder, known), `seed ${seed}`).to.deep.equal(
      expected.map((one) => one.split('@')[0]),
    );
  }
}

/** Applies the events to a set of keys; an addition of a known key or a change of an unknown one is a gap or a repetition. */
function replay({ events }: WatchRecorder, known: Set<string>): string[] {
  const seen = new Set<string>();
  for (const event of events) {
    if (event.type === 'BOOKMARK') continue;
    const { key, resourceVersion } = event.object;
    expect(known.has(key), `${event.type} ${key}`).to.equal(event.type !== 'ADDED');
    expect(seen.has(`${key}@${resourceVersion}`), 'an event came twice').to.equal(false);
    seen.add(`${key}@${resourceVersion}`);
    if (event.type === 'DELETED') known.delete(key);
    else known.add(key);
  }
  return [...known].toSorted((left, right) => (left < right ? -1 : 1));
}
