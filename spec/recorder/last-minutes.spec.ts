import { expect } from 'chai';
import { askedBy } from '../../lib/cache/collection/received-collection.ts';
import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { expired, internalError } from '../../lib/meta/failure/failures.ts';
import type { CollectionReader } from '../../lib/meta/collection-options.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import type { ObjectView } from '../../lib/meta/object-view.ts';
import type { RecordableClient, RecordOptions } from '../../lib/recorder/record-options.ts';
import { readRecording, type ReadRecording } from '../../lib/recorder/replay/read-recording.ts';
import { record, type Recording } from '../../lib/recorder/source-recording.ts';
import { podOf, viewOf } from '../cache/memory/kept-views.ts';
import { rejection } from '../cache/support/objects.ts';
import { FakeCache } from './support/fake-cache.ts';
import { asFile, MemoryFiles } from './support/memory-files.ts';

type Source = ListerWatcher<ObjectView>;

const PODS: CollectionReader = { by: 'source', apiVersion: 'v1', resource: 'pods' };

/** A client whose readers are sources of a spec. */
class Readers implements RecordableClient {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly files: MemoryFiles = new MemoryFiles();
  #wrap: Parameters<RecordableClient['intercept']>[0] | undefined;

  intercept(wrap: Parameters<RecordableClient['intercept']>[0]): Disposable {
    this.#wrap = wrap;
    return { [Symbol.dispose]: () => (this.#wrap = undefined) };
  }

  record(options: RecordOptions): Promise<Recording<KubernetesObject>> {
    return record(this, 'a.listwatch', { files: this.files, ...options });
  }

  /** The source of a reader, and the cache that it fills. */
  source(cache?: FakeCache, reader: CollectionReader = PODS, given: Partial<Source> = {}): Source {
    const source: Source = {
      description: 'pods',
      list: () => Promise.resolve({ items: [viewOf(podOf(1))], resourceVersion: '1' }),
      watch: () => new Promise(() => {}),
      ...given,
    };
    const read = this.#wrap?.<KubernetesObject>(source, reader) ?? source;
    return cache === undefined ? read : askedBy<KubernetesObject>(cache, read);
  }

  read<R>(use: (recording: ReadRecording) => R): Promise<R> {
    return asFile(this.files.bytes('a.listwatch'), async (path) => use(await readRecording(path)));
  }
}

describe('the last minutes of several readers', () => {
  it('wait for a cache that has not taken its list, and say of which reader after ten seconds', async () => {
    const readers = new Readers();
    const { runtime } = readers;
    const recording = await readers.record({ keepMinutes: 1 });
    const cache = new FakeCache();
    await runtime.run(readers.source(cache).list({}));
    cache.hasAll = false;
    const error = await rejection(runtime.run(recording.dump()));
    expect(error).to.have.property('code', 'TIMEOUT');
    expect(error.message).to.include('the list of pods is not in the cache after 10 s');
    let written = false;
    const dumping = recording.dump().then(() => (written = true));
    await runtime.advance(5000);
    expect(written).to.equal(false);
    cache.hasAll = true;
    await runtime.run(dumping);
    await recording.close();
  });

  it('leave out a cache that has stopped before it took its list, and wait for none', async () => {
    const readers = new Readers();
    const { runtime } = readers;
    const recording = await readers.record({ keepMinutes: 1 });
    const [cut, whole] = [new FakeCache(), new FakeCache()];
    await runtime.run(readers.source(cut).list({}));
    await runtime.run(readers.source(whole, { ...PODS, namespace: 'shop' }).list({}));
    cut.hasAll = false;
    cut.ended.abort();
    await recording.dump();
    await readers.read(({ readers: found }) => {
      expect(found.map(({ description }) => description)).to.deep.equal(['pods in namespace shop']);
    });
    await recording.close();
  });

  it('keep a reader whose next list comes while they are written', async () => {
    const readers = new Readers();
    const recording = await readers.record({ keepMinutes: 1 });
    const cache = new FakeCache();
    await readers.runtime.run(readers.source(cache).list({}));
    const answers = [true];
    cache.has = () => answers.pop() === true;
    await recording.dump();
    await readers.read(({ readers: found }) => expect(found).to.have.length(1));
    expect(recording.inspect().records).to.be.above(0);
    await recording.close();
  });

  it('begin with no state of a cache that has a backlog then', async () => {
    const readers = new Readers();
    const { runtime } = readers;
    const recording = await readers.record({ keepMinutes: 1 });
    for (const [backlog, namespace] of [
      [0, 'settled'],
      [3, 'busy'],
    ] as const) {
      const cache = new FakeCache();
      cache.resourceVersion = '7';
      cache.backlog = backlog;
      cache.objects.set('ns-2/pod-2', viewOf(podOf(2)));
      void readers.source(cache, { ...PODS, namespace }).watch({});
    }
    await runtime.settle();
    await recording.dump();
    await readers.read(({ readers: found }) => {
      const kinds = found.map(({ exchanges }) => exchanges.map(({ kind }) => kind));
      expect(kinds).to.deep.equal([['list', 'watch'], ['watch']]);
    });
    await recording.close();
  });

  it('keep all of the caches that one collection has at a time, each with a request of its own', async () => {
    const readers = new Readers();
    const { runtime } = readers;
    const recording = await readers.record({ keepMinutes: 1 });
    for (const index of [1, 2, 3]) {
      const cache = new FakeCache();
      cache.resourceVersion = '7';
      cache.objects.set(`ns-${index}/pod-${index}`, viewOf(podOf(index)));
      void readers.source(cache).watch({});
    }
    await runtime.settle();
    await recording.dump();
    await readers.read(({ readers: found }) => {
      const lists = found.map(({ exchanges }) =>
        exchanges[0]?.answers.map(({ body }) => String(body)),
      );
      expect(lists[0]?.[0]).to.include('"pod-1"');
      expect(lists[1]?.[0]).to.include('"pod-2"');
      expect(lists[2]?.[0]).to.include('"pod-3"');
      const requests = found.map(({ exchanges }) => exchanges[0]?.answers[0]?.request);
      expect(new Set(requests).size).to.equal(3);
    });
    await recording.close();
  });

  it('begin behind a list whose first page is too old', async () => {
    const readers = new Readers();
    const { runtime } = readers;
    const recording = await readers.record({ keepMinutes: 1 });
    const cache = new FakeCache();
    const source = readers.source(cache, PODS, {
      list: ({ continueToken }) => {
        const items = [viewOf(podOf(continueToken === undefined ? 1 : 2))];
        const more = continueToken === undefined ? { continueToken: 'more' } : {};
        return Promise.resolve({ items, resourceVersion: '5', ...more });
      },
    });
    await runtime.run(source.list({}));
    await runtime.advance(61_000);
    await runtime.run(source.list({ continueToken: 'more' }));
    for (const index of [1, 2]) cache.objects.set(`ns-${index}/pod-${index}`, viewOf(podOf(index)));
    await recording.dump();
    await readers.read(({ readers: [reader] }) => {
      const [list, ...others] = reader?.exchanges ?? [];
      expect(others).to.deep.equal([]);
      expect(list?.request).to.not.have.property('continueToken');
      expect(list?.answers).to.have.length(3);
    });
    await recording.close();
  });

  it('are written at a failure of a source, and not at one that is expected, was asked for, or is of a call', async () => {
    const readers = new Readers();
    const { runtime, files } = readers;
    const recording = await readers.record({ keepMinutes: 1, dumpOn: ['error'] });
    const failing = async (
      failure: Error,
      reader = PODS,
      signal?: AbortSignal,
    ): Promise<boolean> => {
      const list = (): Promise<never> => Promise.reject(failure);
      await rejection(readers.source(undefined, reader, { list }).list({ signal }));
      await runtime.settle();
      return files.files.delete('a.listwatch');
    };
    const lost = internalError('the disk is full');
    expect(await failing(expired('too old')), 'expired').to.equal(false);
    expect(await failing(lost, PODS, AbortSignal.abort()), 'ended').to.equal(false);
    expect(await failing(lost, { ...PODS, by: 'call' }), 'of a call').to.equal(false);
    expect(await failing(lost)).to.equal(true);
    expect(await failing(lost), 'within a minute').to.equal(false);
    await runtime.advance(60_000);
    expect(await failing(lost), 'later').to.equal(true);
    await runtime.advance(60_000);
    const source = readers.source(undefined, PODS, { list: () => Promise.reject(lost) });
    await recording.close();
    await rejection(source.list({}));
    await runtime.settle();
    expect(files.files.size, 'after its end').to.equal(0);
  });
});
