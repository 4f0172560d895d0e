import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { Client } from '../../lib/client/rest/client.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { internalError, tooManyRequests } from '../../lib/meta/failure/failures.ts';
import { record } from '../../lib/recorder/source-recording.ts';
import type { RecordOptions } from '../../lib/recorder/record-options.ts';
import { replay } from '../../lib/recorder/replay/replay.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { ScriptedListerWatcher } from '../../lib/testing/scripted-lister-watcher.ts';
import { pod, rejection, type Pod } from '../cache/support/objects.ts';
import { asFile, inFolder, MemoryFiles } from './support/memory-files.ts';
import { byName, play, Recorded } from './support/recorded-informer.ts';

/** Changes, a lost watch, refused requests and an expired version. */
async function storm({ runtime, pods }: Recorded): Promise<void> {
  pods.add(pod('late'));
  await runtime.advance(1000);
  pods.modify(pod('pod-1', { nodeName: 'node-1' }));
  pods.dropConnections();
  pods.failNext('watch', internalError('busy'));
  await runtime.advance(60_000);
  pods.pause();
  pods.delete({ namespace: 'shop', name: 'pod-0' });
  pods.add(pod('later'));
  pods.dropConnections();
  pods.compact();
  pods.failNext('list', tooManyRequests('busy', 2));
  pods.resume();
  await runtime.advance(120_000);
  pods.delete({ namespace: 'shop', name: 'late' });
  await runtime.advance(1000);
}

describe('record and replay', () => {
  for (const watchList of [true, false]) {
    it(`give a handler the same calls again, ${watchList ? 'with' : 'without'} streaming lists`, async () => {
      const recorded = new Recorded({ watchList });
      const recording = await recorded.record();
      await recorded.start();
      await storm(recorded);
      await recorded.stop();
      const objects = recorded.informer.lister.list();
      await recording.close();
      expect(recording.failure).to.equal(undefined);
      expect(recorded.log.length).to.be.above(6);
      await asFile(recorded.bytes, async (path) => {
        const once = await play(path);
        expect(once.log).to.deep.equal(recorded.log);
        expect(byName(once.objects)).to.deep.equal(byName(objects));
        expect(await play(path)).to.deep.equal(once);
        const fast = await play(path, { speed: 100 });
        expect(fast.objects).to.have.length(objects.length);
        const instant = await play(path, { speed: 'instant' });
        expect(byName(instant.objects)).to.deep.equal(byName(objects));
      });
    });
  }

  it('take the recorded time, or a part of it', async () => {
    const recorded = new Recorded({ watchList: false });
    const recording = await recorded.record();
    await recorded.start();
    await recorded.runtime.advance(100_000);
    recorded.pods.add(pod('late'));
    await recorded.runtime.settle();
    await recorded.stop();
    await recording.close();
    await asFile(recorded.bytes, async (path) => {
      expect((await play(path)).virtualMs).to.be.closeTo(100_000, 1);
      expect((await play(path, { speed: 50 })).virtualMs).to.be.closeTo(2000, 1);
      expect((await play(path, { speed: 'instant' })).virtualMs).to.equal(0);
    });
  });

  it('lead an informer on that lists where the recorded one had a streaming list', async () => {
    const recorded = new Recorded({ watchList: true });
    const recording = await recorded.record();
    await recorded.start();
    await storm(recorded);
    await recorded.stop();
    await recording.close();
    await asFile(recorded.bytes, async (path) => {
      const played = await play(path, { speed: 'instant' }, { watchList: false });
      expect(byName(played.objects)).to.deep.equal(byName(recorded.informer.lister.list()));
    });
  });

  it('go step by step, one answer a step', async () => {
    const recorded = new Recorded({ watchList: false });
    const recording = await recorded.record();
    await recorded.start();
    recorded.pods.add(pod('late'));
    await recorded.runtime.settle();
    recorded.pods.delete({ namespace: 'shop', name: 'pod-0' });
    await recorded.runtime.settle();
    await recorded.stop();
    await recording.close();
    await asFile(recorded.bytes, async (path) => {
      const runtime = new VirtualRuntime();
      const source = await replay<Pod>(path, { runtime, speed: 'step' });
      const informer = new SharedIndexInformer<Pod>({
        listerWatcher: source,
        runtime,
        logger: silentLogger,
      });
      const running = informer.run();
      const sizes: [string, number][] = [];
      for (;;) {
        const step = await runtime.run(source.step());
        if (step === undefined) break;
        await runtime.settle();
        sizes.push([step.what, informer.lister.list().length]);
      }
      expect(sizes).to.deep.equal([
        ['page', 3],
        ['events', 4],
        ['events', 3],
      ]);
      await runtime.run(informer.close());
      await running;
    });
  });

  it('mask the values of Secrets in the file, and not for the informer', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record();
    await recorded.start();
    const secret = { apiVersion: 'v1', kind: 'Secret', data: { a: 'aGlkZGVu' } };
    recorded.pods.add({ ...pod('secret'), ...secret });
    await recorded.runtime.settle();
    expect(recorded.informer.lister.namespace('shop').get('secret')).to.deep.include(secret);
    await recorded.stop();
    await recording.close();
    expect(recorded.bytes.includes('bWFza2Vk')).to.equal(true);
    expect(recorded.bytes.includes('aGlkZGVu')).to.equal(false);
  });

  it('carry an object of 1 MB', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record();
    await recorded.start();
    recorded.pods.add(pod('large', { annotations: { a: 'x'.repeat(1_000_000) } }));
    await recorded.runtime.settle();
    await recorded.stop();
    await recording.close();
    await asFile(recorded.bytes, async (path) => {
      expect((await play(path)).log).to.deep.equal(recorded.log);
    });
  });

  it('record a source that is no informer', async () => {
    const runtime = new VirtualRuntime();
    const pods = new ScriptedListerWatcher<Pod>({
      runtime,
      objects: [pod('a')],
      description: 'pods',
    });
    const files = new MemoryFiles();
    const recording = await record<Pod>(pods, 'pods.listwatch', { files, runtime });
    await runtime.run(recording.listerWatcher.list({}));
    await recording.close();
    await asFile(files.bytes('pods.listwatch'), async (path) => {
      const source = await replay<Pod>(path, { runtime, speed: 'instant' });
      const { items } = await runtime.run(source.list({}));
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
      expect(source.header).to.include({ collection: 'pods', mask: 'secrets', format: 3 });
    });
  });
});

describe('a recording', () => {
  it('is a file for its owner alone, and replaces none and follows no link', async () => {
    await inFolder(async (folder) => {
      const runtime = new VirtualRuntime();
      const pods = new ScriptedListerWatcher<Pod>({ runtime });
      const path = join(folder, 'pods.listwatch');
      const recording = await record<Pod>(pods, path, { runtime });
      await recording.close();
      expect(lstatSync(path).mode & 0o777).to.equal(0o600);
      expect(readFileSync(path, 'latin1').startsWith('listwatch recording\n')).to.equal(true);
      for (const taken of [path, join(folder, 'link')]) {
        if (taken !== path) symlinkSync(join(folder, 'elsewhere'), taken);
        const error = await rejection(record<Pod>(pods, taken, { runtime }));
        expect(error).to.have.property('code', 'RECORDING_FILE');
        expect(error.message).to.include(taken);
      }
      expect((await rejection(replay(join(folder, 'link')))).code).to.equal('RECORDING_FILE');
    });
  });

  it('ends at its bound with RECORDING_FULL, stays readable, and the informer goes on', async () => {
    const recorded = new Recorded();
    const failures: unknown[] = [];
    const recording = await recorded.record({
      maxBytes: 65_536,
      baseBytes: 0,
      onFailure: (error) => failures.push(error),
    });
    await recorded.start();
    for (let index = 0; index < 400; index += 1) {
      recorded.pods.modify(
        pod('pod-0', { annotations: { a: 'x'.repeat(500), index: `${index}` } }),
      );
      await recorded.runtime.settle();
    }
    expect(recorded.log).to.have.length(403);
    expect(recording.inspect()).to.include({ state: 'ended' });
    await recorded.stop();
    await recording.close();
    expect(failures).to.deep.equal([recording.failure]);
    expect(recording.failure).to.have.property('code', 'RECORDING_FULL');
    expect(recorded.bytes.length).to.be.within(60_000, 65_536);
    await asFile(recorded.bytes, async (path) => {
      const { log } = await play(path);
      expect(log).to.deep.equal(recorded.log.slice(0, log.length));
      expect(log.length).to.be.above(50);
    });
  });

  it('ends with RECORDING_FILE on a full disk, and the informer goes on', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record();
    recorded.files.room = 300;
    await recorded.start();
    await recording.dump();
    recorded.pods.add(pod('late'));
    await recorded.runtime.settle();
    expect(recorded.log).to.have.length(4);
    expect(recording.failure).to.have.property('code', 'RECORDING_FILE');
    expect((recording.failure as Error).message).to.match(
      /^the recording pods.listwatch ended: ENOSPC/,
    );
    await recorded.stop();
    await recording.close();
  });

  it('ends when the disk is too slow, and does not wait for it', async () => {
    const other = new Recorded();
    const recording = await other.record();
    other.files.beforeWrite = () => new Promise(() => {});
    await other.start();
    for (let index = 0; index < 40; index += 1) {
      other.pods.modify(pod('pod-0', { annotations: { a: `${index}`.repeat(1_000_000 / 2) } }));
      await other.runtime.settle();
    }
    expect(other.log).to.have.length(43);
    expect(recording.failure).to.have.property('code', 'RECORDING_FULL');
    expect((recording.failure as Error).message).to.include('too slow');
    await other.stop();
  });

  it('is refused when it was cut short, damaged, edited, of another version, or is another file', async () => {
    const recorded = new Recorded({ watchList: false });
    const recording = await recorded.record();
    await recorded.start();
    recorded.pods.add(pod('late'));
    await recorded.runtime.settle();
    await recorded.stop();
    await recording.close();
    const { bytes } = recorded;
    const refused = async (changed: Buffer, text: string | RegExp): Promise<void> => {
      await asFile(changed, async (path) => {
        const error = await rejection(replay(path));
        expect(error).to.have.property('code', 'RECORDING_INVALID');
        expect(error.message).to.match(new RegExp(text)).and.to.include(path);
      });
    };
    await refused(
      bytes.subarray(0, bytes.length - 5),
      'cut short within record \\d+, at byte \\d+; replay its \\d+ whole',
    );
    const at = bytes.indexOf('"late"');
    const edited = Buffer.from(bytes);
    edited[at + 1] = 0x6d;
    await refused(edited, 'is damaged: its checksum is wrong');
    await refused(Buffer.from('{"kind":"List"}'), 'does not begin with "listwatch recording"');
    await refused(Buffer.alloc(0), 'does not begin');
    const other = Buffer.from(bytes);
    other.write('"format":9', other.indexOf('"format":3'));
    await refused(other, 'checksum|format version');
    await asFile(bytes.subarray(0, at), async (path) => {
      const source = await replay<Pod>(path, { partial: true });
      expect(source.records).to.be.above(3);
    });
    for (let cut = 0; cut < bytes.length; cut += 7) {
      await refused(bytes.subarray(0, cut), 'cut short|does not begin|no header');
    }
  });

  it('refuses an informer that runs, and leaves no file', async () => {
    const recorded = new Recorded();
    await recorded.start();
    expect((await rejection(recorded.record())).code).to.equal('ALREADY_STARTED');
    expect([...recorded.files.files.keys()]).to.deep.equal([]);
    await recorded.stop();
  });

  it('refuses a path that is none, and a file that exists, and says what to do', async () => {
    const recorded = new Recorded();
    for (const [path, found] of [
      ['', 'empty'],
      [{ keepMinutes: 1 }, 'an object'],
      [undefined, 'undefined'],
    ] as const) {
      const error = await rejection(record<Pod>(recorded.informer, path as string));
      expect(error).to.have.property('code', 'INVALID_OPTION');
      expect(error.message).to.include(
        `path has to be the name of a file, it is ${found}: record(`,
      );
    }
    recorded.files.files.set('pods.listwatch', Buffer.from('earlier'));
    const error = await rejection(recorded.record());
    expect(error).to.have.property('code', 'RECORDING_FILE');
    expect(error.message).to.match(/EEXIST.*; name a new file, or remove this one$/);
    expect(String(recorded.bytes)).to.equal('earlier');
  });

  it('refuses what has nothing to record, and names it', async () => {
    const server = new ApiServer();
    const client = new Client({ transport: inProcessTransport(server.handler) });
    for (const [from, found] of [
      [undefined, 'undefined'],
      ['pods', 'string'],
      [{}, 'an object'],
      [server, 'ApiServer'],
      [new SharedInformerFactory(client), 'a factory; record the client that it reads through'],
      [client.resource('v1', 'pods'), 'ResourceClient'],
    ] as const) {
      const error = await rejection(record<Pod>(from as unknown as typeof client, 'a.listwatch'));
      expect(error, found).to.have.property('code', 'INVALID_OPTION');
      expect(error.message).to.match(new RegExp(`ListerWatcher, it is ${found}$`));
    }
    await client.close();
    await server.close();
  });

  it('refuses an identity that is none, such as a promise, and a callback that is none', async () => {
    const { informer } = new Recorded();
    for (const options of [
      { identity: 'me' },
      { identity: Promise.resolve({ server: 'a', user: 'b' }) },
      { onFailure: 5 },
    ]) {
      const error = await rejection(record<Pod>(informer, 'a.listwatch', options as never));
      expect(error).to.have.property('code', 'INVALID_OPTION');
      expect(error.message).to.match(/option "(identity|onFailure)" must be /);
    }
  });

  it('refuses options that it does not know or that do not fit', async () => {
    const pods = new ScriptedListerWatcher<Pod>();
    for (const options of [
      { maxByte: 1 } as RecordOptions,
      { maxBytes: 1 },
      { keepMinutes: 10 },
      { mask: 'everything' as 'secrets' },
      { dumpOn: ['error'] },
      { baseBytes: -1 },
      { baseBytes: 2 ** 31 },
    ] as const) {
      const error = await rejection(record<Pod>(pods, '/nowhere/a', options));
      expect(error, JSON.stringify(options)).to.have.property('code', 'INVALID_OPTION');
    }
  });
});

describe('the recorder of the last minutes', () => {
  it('refuses to write them when it is closed', async () => {
    const recorded = new Recorded();
    const recording = await recorded.record({ keepMinutes: 10 });
    await recording.close();
    const error = await rejection(recording.dump());
    expect(error).to.have.property('code', 'CLOSED');
    expect(error.message).to.include('its last minutes are gone');
    expect(recorded.files.files.size).to.equal(0);
  });

  it('writes what the cache was, and what came since, within its time', async () => {
    const recorded = new Recorded({ watchList: false }, 50);
    const recording = await recorded.record({ keepMinutes: 10 });
    await recorded.start();
    const { pods, runtime } = recorded;
    pods.modify(pod('pod-1', { nodeName: 'old' }));
    pods.delete({ namespace: 'shop', name: 'pod-2' });
    await runtime.advance(11 * 60_000);
    const before = recorded.informer.lister.list().map((one) => one);
    const from = recorded.log.length;
    pods.modify(pod('pod-1', { nodeName: 'new' }));
    pods.delete({ namespace: 'shop', name: 'pod-3' });
    pods.add(pod('pod-2'));
    await runtime.settle();
    await runtime.run(recording.dump('incident.listwatch'));
    const after = recorded.informer.lister.list();
    await asFile(recorded.files.bytes('incident.listwatch'), async (path) => {
      const source = await replay<Pod>(path, { runtime, speed: 'step' });
      const first = source.list({});
      await runtime.run(source.step());
      const { items } = await runtime.run(first);
      expect(byName(items.map(({ object }) => object))).to.deep.equal(byName(before));
      const played = await play(path);
      expect(byName(played.objects)).to.deep.equal(byName(after));
      expect(played.log.slice(before.length)).to.deep.equal(recorded.log.slice(from));
      expect(source.header.keptFrom).to.be.a('string');
    });
    await recorded.stop();
    await recording.close();
  });

  it('writes them by itself when a watch fails, once for each time that it keeps', async () => {
    const recorded = new Recorded({ watchList: false });
    const recording = await recorded.record({ keepMinutes: 10, dumpOn: ['error'] });
    await recorded.start();
    const { pods, runtime, files } = recorded;
    const fail = async (): Promise<boolean> => {
      files.files.clear();
      pods.dropConnections(internalError('the disk of etcd is full'));
      await runtime.advance(60_000);
      return files.files.has('pods.listwatch');
    };
    pods.add(pod('last'));
    await runtime.advance(60_000);
    expect(files.files.size, 'files of a quiet time').to.equal(0);
    expect(await fail()).to.equal(true);
    expect(
      (await asFile(recorded.bytes, play)).objects.map(({ metadata }) => metadata.name),
    ).to.include('last');
    expect(await fail(), 'a minute later').to.equal(false);
    await runtime.advance(10 * 60_000);
    expect(await fail(), 'after ten minutes').to.equal(true);
    await recording.close();
    expect(await fail(), 'after the end').to.equal(false);
    await recorded.stop();
  });

  it('writes them when the process gets a signal', async () => {
    const recorded = new Recorded({ watchList: false });
    const recording = await recorded.record({ keepMinutes: 10, dumpOn: ['SIGUSR2'] });
    await recorded.start();
    const written = new Promise<void>((resolve) => {
      recorded.files.beforeWrite = () => {
        resolve();
        return Promise.resolve();
      };
    });
    const caught = process.listenerCount('SIGUSR2');
    process.kill(process.pid, 'SIGUSR2');
    await written;
    await recording.close();
    expect(process.listenerCount('SIGUSR2')).to.equal(caught - 1);
    await recorded.stop();
  });

  it('refuses causes that it does not know', async () => {
    const { informer } = new Recorded();
    const dumpOn = ['SIGKILL'] as unknown as readonly ['error'];
    const error = await rejection(
      record<Pod>(informer, 'pods.listwatch', { keepMinutes: 1, dumpOn }),
    );
    expect(error).to.have.property('code', 'INVALID_OPTION');
    expect(String(error)).to.include('error, SIGUSR2, SIGHUP');
  });

  for (const watchList of [true, false]) {
    it(`stays within its bytes, through storms, ${watchList ? 'with' : 'without'} streaming lists`, async () => {
      const recorded = new Recorded({ watchList }, 40);
      const recording = await recorded.record({ keepMinutes: 60, maxBytes: 65_536 });
      await recorded.start();
      const { pods, runtime } = recorded;
      for (let round = 0; round < 40; round += 1) {
        for (let index = 0; index < 40; index += 3) {
          const name = `pod-${(index * 7 + round) % 60}`;
          const object = { namespace: 'shop', name };
          const annotations = { a: `${round} `.repeat(40) };
          if (recorded.informer.lister.namespace('shop').get(name) === undefined)
            pods.add(pod(name, { annotations }));
          else if (index % 4 === 0) pods.delete(object);
          else pods.modify(pod(name, { annotations }));
          await runtime.settle();
        }
        if (round % 5 === 4) {
          pods.dropConnections();
          if (round % 10 === 9) pods.compact();
          await runtime.advance(40_000);
        }
        expect(recording.inspect().bytes).to.be.at.most(65_536);
        if (round % 4 !== 0) continue;
        await runtime.run(recording.dump('incident.listwatch'));
        const present = recorded.informer.lister.list();
        await asFile(recorded.files.bytes('incident.listwatch'), async (path) => {
          const played = await play(path, { speed: 'instant' });
          expect(byName(played.objects), `round ${round}`).to.deep.equal(byName(present));
        });
      }
      await recorded.stop();
      await recording.close();
    });
  }
});
