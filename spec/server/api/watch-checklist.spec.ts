import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { compareResourceVersions } from '../../../lib/meta/versions/resource-version.ts';
import { CacheWatcher } from '../../../lib/server/cacher/watchers/cache-watcher.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { until, within } from '../../support/until.ts';
import {
  CONFIG_MAPS,
  configMap,
  HttpApi,
  HURRIED,
  nameOf,
  RUSHED,
  notified,
  versionOf,
  type WatchLine,
  writeMuch,
} from './http-api.ts';
import { RestartingStore } from './restarting-store.ts';

const STREAMING = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const BOOKMARKS = 'allowWatchBookmarks=true';
const HOUR = 'timeoutSeconds=3600';
const END = 'k8s.io/initial-events-end';
const STORED = '/registry/configmaps/default/';

const isEnd = ({ object }: WatchLine): boolean => object.metadata?.annotations?.[END] === 'true';
const isAdded = ({ type }: WatchLine): boolean => type === 'ADDED';
const isNewer = (left: string, right: string): boolean => compareResourceVersions(left, right) > 0;

/** The objects of a client that believes the events. */
function replay(state: Map<string, string>, lines: readonly WatchLine[]): Map<string, string> {
  for (const line of lines) {
    if (line.type === 'DELETED') state.delete(nameOf(line));
    else if (line.type !== 'BOOKMARK') state.set(nameOf(line), versionOf(line));
  }
  return state;
}

function stateOf(items: readonly WatchLine['object'][]): Map<string, string> {
  return replay(
    new Map(),
    items.map((object) => ({ type: 'ADDED', object })),
  );
}

describe('watch over HTTP, from the start', () => {
  let api: HttpApi;

  beforeEach(async () => {
    api = await HttpApi.start({ runtime: HURRIED });
  });

  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  it('sends the changes after the version it starts from, and not that version itself', async () => {
    const first = await api.create('a');
    await api.create('b');
    await api.patch('a', { data: { x: 'y' } });
    const lines = await api.watched(`resourceVersion=${first}`);
    expect(notified(lines)).to.deep.equal(['ADDED b', 'MODIFIED a']);
    for (const line of lines) expect(isNewer(versionOf(line), first)).to.equal(true);
  });

  for (const version of ['', '0']) {
    it(`begins with all there is when it starts from version "${version}", then goes on`, async () => {
      await api.create('b');
      await api.create('a');
      await using watch = await api.watch(`resourceVersion=${version}`);
      expect(notified(await watch.take(2))).to.deep.equal(['ADDED a', 'ADDED b']);
      await api.remove('b');
      expect(notified(await watch.take(1))).to.deep.equal(['DELETED b']);
    });
  }

  it('never decreases versions after the initial state', async () => {
    await api.create('z');
    await api.create('a');
    await using watch = await api.watch(`${STREAMING}&${BOOKMARKS}`);
    const initial = await watch.take(3);
    expect(
      isNewer(versionOf(initial[0] as WatchLine), versionOf(initial[1] as WatchLine)),
    ).to.equal(true);
    const count = await writeMuch(api, 4);
    const changes = (lines: readonly WatchLine[]): WatchLine[] =>
      lines.filter(({ type }) => type !== 'BOOKMARK');
    const lines = await watch.until((all) => changes(all).length === count);
    let last = versionOf(initial[2] as WatchLine);
    for (const line of lines) {
      // A bookmark may carry the version of the change before it.
      const isOld = compareResourceVersions(versionOf(line), last) < 0;
      expect(isOld, `${line.type} ${versionOf(line)} after ${last}`).to.equal(false);
      if (line.type !== 'BOOKMARK') expect(versionOf(line)).not.to.equal(last);
      last = versionOf(line);
    }
  });

  it('sends no change twice', async () => {
    const { metadata } = await api.list();
    await using watch = await api.watch(`resourceVersion=${metadata.resourceVersion}`);
    const count = await writeMuch(api, 4);
    await api.create('last');
    const lines = await watch.until((all) => all.at(-1)?.object.metadata?.name === 'last');
    expect(lines).to.have.length(count + 1);
    expect(new Set(lines.map(versionOf)).size).to.equal(count + 1);
  });

  it('leaves out no change: each acknowledged version is there, in the order of the versions', async () => {
    const { metadata } = await api.list();
    await using watch = await api.watch(`resourceVersion=${metadata.resourceVersion}`);
    const versions = await Promise.all(
      Array.from({ length: 200 }, (_, index) => api.create(`n${index}`)),
    );
    const seen = (await watch.take(200)).map(versionOf);
    expect(seen).to.deep.equal(versions.toSorted(compareResourceVersions));
  });

  it('goes on after the last version seen as if it had never been away, wherever it was cut', async () => {
    const { metadata } = await api.list();
    const from = metadata.resourceVersion;
    const count = await writeMuch(api, 2);
    await using whole = await api.watch(`resourceVersion=${from}`);
    const expected = (await whole.take(count)).map((line) => JSON.stringify(line));
    let last = from;
    const pieced: string[] = [];
    while (pieced.length < count) {
      await using piece = await api.watch(`resourceVersion=${last}`);
      const lines = await piece.take(Math.min(7, count - pieced.length));
      last = versionOf(lines.at(-1) as WatchLine);
      pieced.push(...lines.map((line) => JSON.stringify(line)));
    }
    expect(pieced).to.deep.equal(expected);
  });

  it('goes on after a bookmark as if it had never been away', async () => {
    await api.create('a');
    await using watch = await api.watch(`${STREAMING}&${BOOKMARKS}`);
    const [, bookmark] = await watch.take(2);
    await api.create('b');
    await api.remove('a');
    expect(notified(await watch.take(2))).to.deep.equal(['ADDED b', 'DELETED a']);
    const resumed = await api.watched(`resourceVersion=${versionOf(bookmark as WatchLine)}`);
    expect(notified(resumed)).to.deep.equal(['ADDED b', 'DELETED a']);
  });

  it('refuses initial events without the match that says how old they may be', async () => {
    for (const query of [
      'sendInitialEvents=true',
      'sendInitialEvents=false&resourceVersion=1',
      'sendInitialEvents=true&resourceVersion=1&resourceVersionMatch=Exact',
      'resourceVersion=1&resourceVersionMatch=NotOlderThan',
    ]) {
      const { status, text } = await api.call(`${CONFIG_MAPS}?watch=1&${query}`);
      expect(status, query).to.equal(422);
      expect(JSON.parse(text)).to.include({ kind: 'Status', reason: 'Invalid' });
    }
  });

  it('marks the end of the initial state once, behind all of it, also when it is empty', async () => {
    for (const names of [[], ['a', 'b', 'c']]) {
      for (const name of names) await api.create(name);
      await using watch = await api.watch(`${STREAMING}&${BOOKMARKS}`);
      const initial = await watch.take(names.length + 1);
      expect(initial.map(isEnd)).to.deep.equal([...names.map(() => false), true]);
      const end = versionOf(initial.at(-1) as WatchLine);
      for (const line of initial) expect(isNewer(versionOf(line), end)).to.equal(false);
      await api.create(`after-${names.length}`);
      expect((await watch.take(1)).map(isEnd)).to.deep.equal([false]);
      await api.remove(`after-${names.length}`);
    }
  });

  it('shows of a deleted object its last state, with the version of the deletion', async () => {
    await api.create('a', { x: '1' });
    const last = await api.patch('a', { data: { x: '2' } });
    await using watch = await api.watch(`resourceVersion=${last}`);
    await api.remove('a');
    const next = await api.create('b');
    const [deleted] = (await watch.take(2)) as [WatchLine, WatchLine];
    expect(deleted.type).to.equal('DELETED');
    expect(deleted.object.data).to.deep.equal({ x: '2' });
    expect(isNewer(versionOf(deleted), last)).to.equal(true);
    expect(isNewer(next, versionOf(deleted))).to.equal(true);
  });

  it('takes what enters a selector as new and what leaves it as gone, both at the version of the change', async () => {
    const start = await api.create('a', { n: '0' });
    await using watch = await api.watch(`labelSelector=on%3D1&resourceVersion=${start}`);
    const entered = await api.patch('a', { metadata: { labels: { on: '1' } }, data: { n: '1' } });
    const left = await api.patch('a', { metadata: { labels: { on: null } }, data: { n: '2' } });
    const lines = await watch.take(2);
    expect(
      lines.map((line) => [line.type, versionOf(line), line.object.data?.['n']]),
    ).to.deep.equal([
      ['ADDED', entered, '1'],
      ['DELETED', left, '1'],
    ]);
  });

  it('keeps to one namespace, one name, one field value', async () => {
    const start = await api.create('a');
    await api.json('/api/v1/namespaces', {
      method: 'POST',
      body: { metadata: { name: 'default-2' } },
    });
    const elsewhere = '/api/v1/namespaces/default-2/configmaps';
    await api.json(elsewhere, { method: 'POST', body: configMap('a') });
    await api.create('b');
    const from = `resourceVersion=${start}`;
    const everywhere = '/api/v1/configmaps';
    const rows: [string, string, string[]][] = [
      ['', CONFIG_MAPS, ['ADDED b']],
      ['', elsewhere, ['ADDED a']],
      ['', everywhere, ['ADDED a', 'ADDED b']],
      ['metadata.name=a', CONFIG_MAPS, []],
      ['metadata.name=b', CONFIG_MAPS, ['ADDED b']],
      ['metadata.name!=b', everywhere, ['ADDED a']],
      ['metadata.namespace=default', everywhere, ['ADDED b']],
    ];
    const watched = rows.map(async ([selector, path]) =>
      notified(await api.watched(`${from}&fieldSelector=${encodeURIComponent(selector)}`, path)),
    );
    expect(await Promise.all(watched)).to.deep.equal(rows.map(([, , expected]) => expected));
  });

  it('fits a list that came in pages, written to all the while', async () => {
    for (let index = 0; index < 40; index += 1) await api.create(`n${index}`);
    const writing = writeMuch(api, 3);
    let page = await api.list('limit=7');
    const items = [...page.items];
    while (page.metadata.continue !== undefined) {
      page = await api.list(`limit=7&continue=${encodeURIComponent(page.metadata.continue)}`);
      items.push(...page.items);
    }
    await using watch = await api.watch(`resourceVersion=${page.metadata.resourceVersion}`);
    await writing;
    await api.create('zz');
    const lines = await watch.until((all) => all.at(-1)?.object.metadata?.name === 'zz');
    const now = await api.list();
    expect(replay(stateOf(items), lines)).to.deep.equal(stateOf(now.items));
  });

  it('belongs to lists that show every write acknowledged before them', async () => {
    for (let index = 0; index < 100; index += 1) {
      const version = await api.create(`n${index}`);
      const { items, metadata } = await api.list();
      expect(items).to.have.length(index + 1);
      expect(isNewer(version, metadata.resourceVersion)).to.equal(false);
    }
  });

  it('moves no version on by reading', async () => {
    const version = await api.create('a');
    await api.watched('');
    await api.watched(`${STREAMING}&${BOOKMARKS}`);
    await api.list('resourceVersion=0');
    await api.list('limit=1');
    await api.json(`${CONFIG_MAPS}/a`);
    expect((await api.list()).metadata.resourceVersion).to.equal(version);
  });
});

describe('watch over HTTP, as time passes', () => {
  let api: HttpApi;

  beforeEach(async () => {
    api = await HttpApi.start({ runtime: RUSHED });
  });

  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  it('sends bookmarks of the kind, with a version and nothing else, that nothing later falls behind', async () => {
    const start = await api.create('a');
    await using watch = await api.watch(`resourceVersion=${start}&${BOOKMARKS}&${HOUR}`);
    await api.create('b');
    const before = await watch.until((all) => all.at(-1)?.type === 'BOOKMARK');
    const bookmark = before.at(-1) as WatchLine;
    expect(bookmark.object).to.deep.equal({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: versionOf(bookmark) },
    });
    for (const line of before)
      expect(isNewer(versionOf(line), versionOf(bookmark))).to.equal(false);
    await api.create('c');
    for (const line of await watch.until(
      (all) => all.some(isAdded) && all.at(-1)?.type === 'BOOKMARK',
    )) {
      const older = compareResourceVersions(versionOf(line), versionOf(bookmark)) < 0;
      expect(older, versionOf(line)).to.equal(false);
      if (line.type !== 'BOOKMARK') expect(versionOf(line)).not.to.equal(versionOf(bookmark));
    }
  });

  it('sends no bookmark without a request', async () => {
    const start = await api.create('a');
    await using asked = await api.watch(`resourceVersion=${start}&${BOOKMARKS}&${HOUR}`);
    await using unasked = await api.watch(`resourceVersion=${start}&${HOUR}`);
    await using initial = await api.watch(`${STREAMING}&${HOUR}`);
    expect(notified(await asked.take(1))).to.deep.equal(['BOOKMARK']);
    await api.create('b');
    await asked.until((all) => all.at(-1)?.type === 'BOOKMARK');
    await api.create('c');
    expect(notified(await unasked.take(2))).to.deep.equal(['ADDED b', 'ADDED c']);
    expect(notified(await initial.take(3))).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('moves the bookmarks of a resource on that does not change, while others do', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const { metadata } = await api.list('', secrets);
    const query = `resourceVersion=${metadata.resourceVersion}&${BOOKMARKS}&${HOUR}`;
    const elsewhere = await api.create('a');
    await using watch = await api.watch(query, secrets);
    // The first bookmark may come before the resource has heard of the other one.
    await watch.until((all) => {
      const last = all.at(-1);
      return last?.type === 'BOOKMARK' && !isNewer(elsewhere, versionOf(last));
    });
  });

  it('ends cleanly after its timeout', async () => {
    await api.create('a');
    await using watch = await api.watch('resourceVersion=0&timeoutSeconds=20');
    expect(notified(await watch.rest())).to.deep.equal(['ADDED a']);
  });

  it('sends nothing older than a version of the future, and a list says that it is too large', async () => {
    const start = await api.create('a');
    const future = String(BigInt(start) + 3n);
    await using watch = await api.watch(`resourceVersion=${future}`);
    for (const name of ['b', 'c', 'd', 'e']) await api.create(name);
    expect(notified(await watch.take(1))).to.deep.equal(['ADDED e']);
    for (const query of ['NotOlderThan', 'Exact']) {
      const { status, headers, text } = await api.call(
        `${CONFIG_MAPS}?resourceVersion=99999999&resourceVersionMatch=${query}`,
      );
      expect([status, headers['retry-after']]).to.deep.equal([504, '1']);
      const { reason, details } = JSON.parse(text) as {
        reason: string;
        details: { causes: { reason: string }[]; retryAfterSeconds: number };
      };
      expect([reason, details.causes[0]?.reason]).to.deep.equal([
        'Timeout',
        'ResourceVersionTooLarge',
      ]);
    }
    const late = await api.watched(`${STREAMING}&resourceVersion=99999999&timeoutSeconds=60`);
    expect(late.map(({ type, object }) => [type, object.code])).to.deep.equal([['ERROR', 504]]);
  });
});

describe('watch over HTTP, when something goes wrong', () => {
  it('ends with one 410 when it starts from before what is remembered', async () => {
    await using api = await HttpApi.start({ runtime: HURRIED });
    const old = await api.create('a');
    await api.create('b');
    await api.server.compact();
    const lines = await api.watched(`resourceVersion=${old}&timeoutSeconds=60`);
    expect(lines.map(({ type, object }) => [type, object.code, object.reason])).to.deep.equal([
      ['ERROR', 410, 'Expired'],
    ]);
  });

  it('loses no deletion at the edge of what is remembered', async () => {
    await using api = await HttpApi.start({ runtime: HURRIED });
    const before = await api.create('a');
    await api.create('b');
    await using running = await api.watch(`resourceVersion=${before}`);
    await api.remove('a');
    const edge = (await api.list()).metadata.resourceVersion;
    await api.server.compact();
    await api.remove('b');
    expect(notified(await running.take(3))).to.deep.equal(['ADDED b', 'DELETED a', 'DELETED b']);
    await using after = await api.watch(`resourceVersion=${edge}`);
    expect(notified(await after.take(1))).to.deep.equal(['DELETED b']);
    const missed = await api.watched(`resourceVersion=${before}&timeoutSeconds=60`);
    expect(missed.map(({ object }) => object.code)).to.deep.equal([410]);
  });

  it('ends for a client that does not read, without a gap, and does not delay others', async () => {
    await using api = await HttpApi.start({ runtime: HURRIED, stuckClientTimeoutMs: 3_600_000 });
    const start = await api.create('a', { text: 'x'.repeat(20_000) });
    const from = `resourceVersion=${start}`;
    await using slow = await api.watch(from);
    await using fast = await api.watch(from);
    // More than a queue and the buffers of two sockets hold.
    const writes = 1_700;
    const reading = fast.take(writes);
    const versions: string[] = [];
    for (let count = 0; count < writes; count += 1) {
      versions.push(await api.patchDirectly('a', { data: { count: String(count) } }));
    }
    expect((await reading).map(versionOf)).to.deep.equal(versions);
    const seen = (await slow.rest()).map(versionOf);
    expect(seen.length).to.be.below(writes);
    expect(seen).to.deep.equal(versions.slice(0, seen.length));
    await using resumed = await api.watch(`resourceVersion=${seen.at(-1)}`);
    const rest = await resumed.take(writes - seen.length);
    expect([...seen, ...rest.map(versionOf)]).to.deep.equal(versions);
  });

  it('loses nothing and does not go back when the server has to fill its cache again', async () => {
    await using store = new RestartingStore();
    await using api = await HttpApi.start({ keyValueStore: store, runtime: HURRIED });
    let last = (await api.list()).metadata.resourceVersion;
    const writing = (async (): Promise<string[]> => {
      const versions: string[] = [];
      for (let count = 0; count < 60; count += 1) {
        versions.push(await api.create(`n${count}`));
        if (count % 20 === 10) store.restart();
      }
      return versions;
    })();
    const seen: string[] = [];
    let ends = -1;
    for (; seen.length < 60; ends += 1) {
      await using watch = await api.watch(`resourceVersion=${last}`);
      for (let line = await watch.next(); line !== undefined; line = await watch.next()) {
        // It cannot know what happened while it was away, and says so.
        if (line.type === 'ERROR') last = await relist(api, line, seen);
        else seen.push((last = versionOf(line)));
        if (seen.length === 60) break;
      }
    }
    expect(ends, 'watches ended by the server').to.be.above(0);
    expect(seen).to.deep.equal(await writing);
  });

  it('leaves nothing behind in memory when its client goes', async () => {
    await using api = await HttpApi.start({ runtime: HURRIED });
    await api.create('a');
    const before = watchesInMemory();
    const watches = await Promise.all(Array.from({ length: 20 }, () => api.watch(BOOKMARKS)));
    await Promise.all(watches.map((watch) => watch.take(1)));
    expect(watchesInMemory()).to.equal(before + 20);
    for (const watch of watches) await watch[Symbol.asyncDispose]();
    await until('the watches are gone from memory', async () => {
      for (let count = 0; count < 10; count += 1) await api.list();
      return watchesInMemory() <= before;
    });
  });

  it('ends at an object that cannot be read, and goes on once that is gone', async () => {
    await using store = new EmbeddedKeyValueStore();
    await using api = await HttpApi.start({ keyValueStore: store, runtime: HURRIED });
    const start = await api.create('a');
    await using watch = await api.watch(`resourceVersion=${start}`);
    const key = `${STORED}bad`;
    await store.txn({ compare: [], success: [{ type: 'put', key, value: Buffer.from('{"a":') }] });
    const lines = await watch.rest();
    expect(notified(lines).filter((line) => !line.startsWith('ERROR'))).to.deep.equal([]);
    const { status, text } = await api.call(CONFIG_MAPS);
    expect(status, text).to.be.at.least(429);
    await store.txn({ compare: [], success: [{ type: 'delete', key }] });
    const created = await api.create('b');
    await within(recovered(api, created), 'the end of the trouble');
  });

  it('shows all of what was written at one version, or none of it', async () => {
    await using store = new EmbeddedKeyValueStore();
    await using api = await HttpApi.start({ keyValueStore: store, runtime: HURRIED });
    const start = await api.create('a');
    await using watch = await api.watch(`resourceVersion=${start}`);
    const names = ['x', 'y', 'z'];
    const { revision } = await store.txn({
      compare: [],
      success: names.map((name) => ({
        type: 'put',
        key: `${STORED}${name}`,
        value: Buffer.from(JSON.stringify(configMap(name, {}, { namespace: 'default' }))),
      })),
    });
    const version = revision.toString();
    const lines = await watch.take(3);
    expect(lines.map(versionOf)).to.deep.equal([version, version, version]);
    const exact = (at: string): Promise<string[]> =>
      api
        .list(`resourceVersion=${at}&resourceVersionMatch=Exact`)
        .then(({ items }) => items.map(({ metadata }) => metadata?.name ?? ''));
    expect(await exact(start)).to.deep.equal(['a']);
    expect(await exact(version)).to.deep.equal(['a', ...names]);
    expect(notified(await api.watched(`resourceVersion=${version}`))).to.deep.equal([]);
  });

  it('belongs to a server that reports its failed start to every caller, without a wait', async () => {
    await using store = new EmbeddedKeyValueStore();
    await store.close();
    await using api = new HttpApi({ keyValueStore: store, runtime: HURRIED });
    const outcome = await within(
      api.server.listen().then(
        () => 'listens',
        (error: unknown) => error,
      ),
      'the outcome of the start',
    );
    expect(outcome).to.be.instanceOf(Error);
  });
});

/** Counts the watches that a collection of garbage leaves. */
function watchesInMemory(): number {
  const emitWarning = process.emitWarning.bind(process);
  // It would say that counting is experimental.
  process.emitWarning = (): void => {};
  try {
    return queryObjects(CacheWatcher, { format: 'count' });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Lists and watches again, as a client does whose version is too old; adds the changes that it had missed. */
async function relist(api: HttpApi, { object }: WatchLine, seen: string[]): Promise<string> {
  expect(object.code).to.equal(410);
  const { items, metadata } = await api.list();
  const versions = items.map(({ metadata: own }) => own?.resourceVersion ?? '');
  versions.sort(compareResourceVersions);
  expect(versions.slice(0, seen.length)).to.deep.equal(seen);
  seen.push(...versions.slice(seen.length));
  return metadata.resourceVersion;
}

/** Waits until the collection can be listed again and shows a version. */
async function recovered(api: HttpApi, version: string): Promise<void> {
  for (;;) {
    const { text } = await api.call(CONFIG_MAPS);
    const { items = [] } = JSON.parse(text) as { items?: WatchLine['object'][] };
    if (items.some(({ metadata }) => metadata?.resourceVersion === version)) return;
  }
}
