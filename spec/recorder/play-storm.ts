import { isDeepStrictEqual } from 'node:util';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type {
  ListerWatcher,
  WatchRequest,
} from '../../lib/cache/reflector/contract/lister-watcher.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import { deriveAbort } from '../../lib/kernel/time/abort.ts';
import { ListwatchError } from '../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { seededRandom } from '../../lib/kernel/time/random.ts';
import { expired } from '../../lib/meta/failure/failures.ts';
import type { ObjectView } from '../../lib/meta/object-view.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { identify } from '../../lib/recorder/identify.ts';
import { record } from '../../lib/recorder/source-recording.ts';
import { replay } from '../../lib/recorder/replay/replay.ts';
import { until } from '../support/until.ts';

export interface StormReport {
  readonly writes: number;
  readonly records: number;
  readonly recordedMs: number;
  readonly objects: number;
  /** Watches that were cut, and requests that were refused. */
  readonly faults: number;
  /** Keys that are not the same in both caches. */
  readonly different: readonly string[];
}

type View = ObjectView<UnstructuredObject>;

/** A source whose watches break, and expire, now and then. */
class StormySource implements ListerWatcher<View> {
  readonly description: string;
  readonly #source: ListerWatcher<View>;
  readonly #random: () => number;
  faults = 0;
  calm = false;
  #cut: ((error: Error) => void) | undefined;

  constructor(source: ListerWatcher<View>, random: () => number) {
    this.#source = source;
    this.#random = random;
    this.description = source.description;
  }

  list: ListerWatcher<View>['list'] = (request, onItems) => this.#source.list(request, onItems);

  async watch(request: WatchRequest): ReturnType<ListerWatcher<View>['watch']> {
    if (!this.calm && this.#random() < 0.3) {
      this.faults += 1;
      throw expired('the storm has taken the history');
    }
    const abort = deriveAbort(request.signal);
    this.#cut = (error) => abort.abort(error);
    return await this.#source.watch({ ...request, signal: abort.signal });
  }

  cut(): void {
    this.faults += 1;
    this.#cut?.(new ListwatchError('CONNECTION_FAILED', 'the storm has cut the connection'));
  }
}

/** Writes, cuts watches and records; then replays the recording, and compares the caches. */
export async function playStorm(
  client: Client,
  path: string,
  { writes, seed }: { readonly writes: number; readonly seed: string },
): Promise<StormReport> {
  const random = seededRandom(seed);
  const namespaces = client.resource('v1', 'namespaces');
  // A server without its controllers never removes a namespace, so each run has one of its own.
  const created = await namespaces.create({ metadata: { generateName: 'listwatch-storm-' } });
  const namespace = created.metadata.name;
  const resource = { apiVersion: 'v1', resource: 'configmaps' };
  const source = new StormySource(client.listerWatcher(resource, { namespace }), random);
  const backoff = { baseMs: 5, capMs: 20 };
  const live = new SharedIndexInformer<UnstructuredObject>({
    listerWatcher: source,
    logger: silentLogger,
    backoff,
  });
  const recording = await record(live, path, { identity: await identify(client) });
  const running = live.run();
  try {
    await live.whenSynced({ timeoutMs: 60_000 });
    const last = await write(mapsOf(client, namespace), source, random, writes);
    source.calm = true;
    await until('the last change', () => BigInt(live.lastSyncResourceVersion) >= BigInt(last));
    await live.caughtUp(live.lastSyncResourceVersion, { timeoutMs: 60_000 });
  } finally {
    await live.close();
    await running;
    await recording.close();
    await namespaces.delete(namespace).catch(() => {});
  }
  const expected = contentOf(live);
  const again = await replay<UnstructuredObject>(path, { speed: 'instant' });
  const replayed = new SharedIndexInformer<UnstructuredObject>({
    listerWatcher: again,
    logger: silentLogger,
    backoff,
    onError: () => {},
  });
  const replaying = replayed.run();
  await again.whenFinished({ timeoutMs: 300_000 });
  await until(
    'the replayed cache',
    () => replayed.indexer.resourceVersion === again.resourceVersion,
  );
  const found = contentOf(replayed);
  await replayed.close();
  await replaying;
  const keys = new Set([...expected.keys(), ...found.keys()]);
  const different = [...keys].filter(
    (key) => !isDeepStrictEqual(expected.get(key), found.get(key)),
  );
  return {
    writes,
    records: again.records,
    recordedMs: again.durationMs,
    objects: expected.size,
    faults: source.faults,
    different,
  };
}

const mapsOf = (client: Client, namespace: string) =>
  client.resource('v1', 'configmaps', { namespace });

/** Returns the version of the last write. */
async function write(
  maps: ReturnType<typeof mapsOf>,
  source: StormySource,
  random: () => number,
  writes: number,
): Promise<string> {
  const alive = new Set<string>();
  let version = '0';
  for (let done = 0; done < writes; done += 1) {
    const name = `map-${Math.floor(random() * 50)}`;
    const data = { done: `${done}`, text: 'x'.repeat(Math.floor(random() * 3000)) };
    if (!alive.has(name)) {
      version = (await maps.create({ metadata: { name }, data })).metadata.resourceVersion;
      alive.add(name);
    } else if (random() < 0.2) {
      await maps.delete(name);
      alive.delete(name);
    } else {
      version = (await maps.patch(name, { data })).metadata.resourceVersion;
    }
    if (random() < 0.02) source.cut();
  }
  version = (await maps.create({ metadata: { name: 'last' } })).metadata.resourceVersion;
  return version;
}

/** Objects, not their text: an item of a list gets its type from the list, before its other fields or after them. */
function contentOf({
  indexer,
}: SharedIndexInformer<UnstructuredObject>): Map<string, UnstructuredObject | undefined> {
  return new Map(indexer.keys().map((key) => [key, indexer.get(key)]));
}
