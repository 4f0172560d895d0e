import { expect } from 'chai';
import { silentLogger, type Logger } from '../../../lib/kernel/report/logger.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import { ApiError } from '../../../lib/meta/failure/api-error.ts';
import { CacherHarness, pod, podKey, PREFIX, WatchRecorder, type Pod } from './cacher-harness.ts';

describe('a Cacher before its first reader', () => {
  let harness: CacherHarness;
  let storage: Cacher<Pod>;

  beforeEach(async () => {
    harness = new CacherHarness();
    const { raw, runtime } = harness;
    storage = new Cacher<Pod>({ storage: raw, resourcePrefix: PREFIX, runtime });
    storage.startLater(await raw.getCurrentResourceVersion());
  });

  afterEach(async () => {
    await harness.runtime.run(storage.close());
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  it('is not filled for writes, for reads without a version and for figures', async () => {
    await storage.create(podKey('a'), pod('a'));
    await storage.guaranteedUpdate(podKey('a'), () => ({ object: pod('a', { node: 'n1' }) }));
    expect((await storage.get(podKey('a')))?.object.spec?.nodeName).to.equal('n1');
    expect((await storage.stats()).objectCount).to.equal(1);
    await storage.delete(podKey('a'));
    await harness.runtime.settle();
    expect(storage.started).to.equal(false);
    expect(storage.status).to.include({ readiness: 'pending', generation: 0, objectCount: 0 });
  });

  it('is filled for all readers once, with the history from before the first of them', async () => {
    const created = await storage.create(podKey('a'), pod('a'));
    await storage.delete(podKey('a'));
    const { resourceVersion } = created;
    const watch = await harness.runtime.run(storage.watch(PREFIX, { resourceVersion }));
    const recorder = new WatchRecorder(watch);
    await storage.create(podKey('b'), pod('b'));
    const list = await harness.runtime.run(storage.getList(PREFIX));
    await harness.runtime.settle();
    expect(recorder.lines).to.deep.equal(['DELETED shop/a @3', 'ADDED shop/b @4']);
    expect(list.items.map(({ metadata }) => metadata.name)).to.deep.equal(['b']);
    expect(storage.status).to.include({ generation: 1, objectCount: 1 });
  });

  it('is filled for a scan', async () => {
    await storage.create(podKey('a'), pod('a'));
    const { items } = await harness.runtime.run(storage.scan(PREFIX));
    expect([...items].map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
    expect(storage.status).to.include({ readiness: 'ready', objectCount: 1 });
  });

  it('is filled for a read of a version and for the check of readiness', async () => {
    const { resourceVersion } = await storage.create(podKey('a'), pod('a'));
    await harness.runtime.run(storage.get(podKey('a'), { resourceVersion }));
    expect(storage.started).to.equal(true);
    await harness.runtime.run(storage.readinessCheck());
    expect(storage.status).to.include({ readiness: 'ready', generation: 1 });
  });

  it('answers a reader after the end as a stopped cacher does', async () => {
    await harness.runtime.run(storage.close());
    expect(storage.stopped).to.equal(true);
    const refused = await harness.runtime.run(
      storage.getList(PREFIX).catch((error: unknown) => error),
    );
    expect(refused).to.be.instanceOf(ApiError);
    expect(storage.started).to.equal(false);
  });

  it('gives readers that need no cache the storage itself, if it was to be started later', () => {
    expect(storage.uncached).to.equal(harness.raw);
    expect(harness.cacher.uncached).to.equal(undefined);
  });

  it('logs why it cannot be filled, and says so to readers', async () => {
    const { raw, runtime } = harness;
    const entries: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (message, fields) => entries.push(`${message} ${JSON.stringify(fields)}`),
    };
    const { versioner } = raw;
    const unreadable = { versioner, supportsProgress: false } as unknown as typeof raw;
    const broken = new Cacher<Pod>({
      storage: unreadable,
      resourcePrefix: PREFIX,
      runtime,
      logger,
    });
    const refused = await runtime.run(broken.watch(PREFIX).catch((error: unknown) => error));
    expect(String(refused)).to.match(/is not filled yet; the last try failed: .*must be a storage/);
    expect(entries).to.have.lengthOf(1);
    expect(entries[0]).to.match(/^a watch cache cannot be filled .*must be a storage/);
    await runtime.run(broken.close());
  });
});
