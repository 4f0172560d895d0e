import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SharedIndexInformerOptions } from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { nodeFiles } from '../../../lib/recorder/files/private-file.ts';
import {
  fileWarmStart,
  type SnapshotOptions,
} from '../../../lib/recorder/snapshot/file-snapshot.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../../cache/support/bytes-source.ts';
import { recorder } from '../../cache/support/informer-harness.ts';
import { pod, type Pod } from '../../cache/support/objects.ts';
import { until } from '../../support/until.ts';
import { inFolder } from '../support/memory-files.ts';

const IDENTITY = { server: 'one', user: 'two' };

interface Run {
  readonly log: readonly string[];
  readonly errors: readonly (Error & { code?: string })[];
  readonly objects: readonly Pod[];
  /** Kinds of requests, with the version that a watch starts from. */
  readonly requests: readonly string[];
}

interface RunOptions {
  readonly snapshot?: Partial<SnapshotOptions>;
  readonly informer?: Partial<SharedIndexInformerOptions<Pod>>;
  readonly during?: (
    informer: SharedIndexInformer<Pod>,
    log: readonly string[],
  ) => Promise<void> | void;
}

/** Runs an informer until it is synced, and closes it, which saves its cache. */
async function run(
  file: string,
  pods: ScriptedListerWatcher<Pod>,
  options: RunOptions = {},
): Promise<Run> {
  const errors: Error[] = [];
  const log: string[] = [];
  const from = pods.requests.length;
  const informer = new SharedIndexInformer<Pod>({
    listerWatcher: new BytesSource(pods),
    warmStart: fileWarmStart({ file, identity: IDENTITY, ...options.snapshot }),
    watchList: false,
    logger: silentLogger,
    onError: (error) => {
      errors.push(error as Error);
    },
    ...options.informer,
  });
  const registration = informer.addHandler(recorder(log));
  const running = informer.run();
  await informer.whenSynced();
  await options.during?.(informer, log);
  await registration.whenSynced();
  const objects = informer.lister.list();
  await informer.close();
  await running;
  const requests = pods.requests
    .slice(from)
    .map(({ kind, request }) =>
      `${kind}${request.limit === 1 ? ' 1' : ''} ${request.resourceVersion ?? ''}`.trim(),
    );
  return { log, errors, objects, requests };
}

function source(count: number = 3): ScriptedListerWatcher<Pod> {
  const objects = Array.from({ length: count }, (_, index) => pod(`pod-${index}`));
  return new ScriptedListerWatcher<Pod>({
    objects,
    description: 'pods',
    startResourceVersion: '100',
  });
}

function names(objects: readonly Pod[]): string[] {
  return objects.map(({ metadata }) => metadata.name ?? '').toSorted();
}

describe('an informer with a snapshot', () => {
  it('lists at its first start, and saves its cache when it closes, for its owner alone', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      const { errors, requests } = await run(file, pods);
      expect(errors).to.deep.equal([]);
      expect(requests).to.include('list 0');
      expect(lstatSync(file).mode & 0o777).to.equal(0o600);
      expect(readdirSync(folder)).to.deep.equal(['pods.snapshot']);
    });
  });

  it('resumes with a watch from the saved version, and gives handlers the saved objects first', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      pods.add(pod('new'));
      pods.delete({ namespace: 'shop', name: 'pod-1' });
      const { log, errors, requests, objects } = await run(file, pods, {
        during: (_, seen) => until('five calls', () => seen.length === 5),
      });
      expect(errors).to.deep.equal([]);
      expect(requests).to.deep.equal(['list 1', 'watch 103']);
      expect(log.slice(0, 3).toSorted()).to.deep.equal([
        '+shop/pod-0@101!',
        '+shop/pod-1@102!',
        '+shop/pod-2@103!',
      ]);
      expect(log.slice(3)).to.deep.equal(['+shop/new@104', '-shop/pod-1@105']);
      expect(names(objects)).to.deep.equal(['new', 'pod-0', 'pod-2']);
    });
  });

  it('lists when the version has expired, and gives deletions for what vanished', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      pods.delete({ namespace: 'shop', name: 'pod-1' });
      pods.compact();
      const { log, requests, objects } = await run(file, pods);
      expect(requests.slice(0, 3)).to.deep.equal(['list 1', 'watch 103', 'list 103']);
      expect(log).to.have.members([
        '+shop/pod-0@101!',
        '+shop/pod-1@102!',
        '+shop/pod-2@103!',
        '-shop/pod-1@102!',
      ]);
      expect(names(objects)).to.deep.equal(['pod-0', 'pod-2']);
    });
  });

  it('is not synced before the server has confirmed the version', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      pods.pause();
      pods.failNext('list', new Error('away'));
      pods.failNext('watch', new Error('away'));
      let log: string[] = [];
      const informer = new SharedIndexInformer<Pod>({
        listerWatcher: new BytesSource(pods),
        warmStart: fileWarmStart({ file, identity: IDENTITY }),
        logger: silentLogger,
        onError: () => {},
      });
      log = [];
      informer.addHandler(recorder(log));
      const running = informer.run();
      await until('the saved objects', () => log.length === 3);
      expect(informer.synced).to.equal(false);
      expect(informer.lister.list()).to.have.length(3);
      pods.resume();
      pods.bookmark?.();
      await informer.whenSynced();
      await informer.close();
      await running;
    });
  });

  it('does not use a file of another server, user, collection or form, and says why', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      const saved = readFileSync(file);
      const other = new ScriptedListerWatcher<Pod>({
        objects: [pod('a')],
        description: 'pods in shop',
      });
      const cases: [RunOptions, ScriptedListerWatcher<Pod>, string][] = [
        [{ snapshot: { identity: { ...IDENTITY, server: 'x' } } }, pods, 'it is of another server'],
        [{ snapshot: { identity: { ...IDENTITY, user: 'x' } } }, pods, 'it is of another user'],
        [{}, other, 'it is of pods, not of pods in shop'],
        [
          { informer: { fields: ['spec.nodeName'] as never } },
          pods,
          'its objects have other fields',
        ],
        [{}, source(1), 'is at resource version 103, and the server at 101'],
      ];
      for (const [options, from, text] of cases) {
        writeFileSync(file, saved);
        const { errors, requests } = await run(file, from, options);
        expect(
          errors.map(({ code }) => code),
          text,
        ).to.deep.equal(['WARM_START_REFUSED']);
        expect(errors[0]?.message).to.include(text);
        expect(requests).to.include('list 0');
      }
    });
  });

  it('does not use any part of a damaged file, wherever it is cut or changed', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      const saved = readFileSync(file);
      for (let at = 0; at < saved.length; at += 37) {
        for (const changed of [saved.subarray(0, at), Buffer.from(saved)]) {
          if (changed.length === saved.length) changed[at]! ^= 0x01;
          writeFileSync(file, changed);
          const { errors, objects, log } = await run(file, pods);
          expect(
            errors.map(({ code }) => code),
            `byte ${at}`,
          ).to.deep.equal(['SNAPSHOT_INVALID']);
          expect(names(objects)).to.deep.equal(['pod-0', 'pod-1', 'pod-2']);
          expect(log).to.have.length(3);
        }
      }
    });
  });

  it('does not write Secrets by default, and says so once', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      pods.add({ ...pod('secret'), kind: 'Secret', data: { a: 'aGlkZGVu' } } as Pod);
      const { errors } = await run(file, pods);
      expect(errors.map(({ code }) => code)).to.deep.equal(['WARM_START_REFUSED']);
      expect(errors[0]?.message).to.include('set secrets: true').and.not.to.include('aGlk');
      expect(readdirSync(folder)).to.deep.equal([]);
      await run(file, pods, { snapshot: { secrets: true } });
      expect(readFileSync(file).includes('aGlkZGVu')).to.equal(true);
    });
  });

  it('does not write what was read as Secrets, whatever the objects say of themselves', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      const resource = { apiVersion: 'v1', resource: 'secrets' };
      const listerWatcher = Object.assign(new BytesSource(pods), { resource });
      const { errors } = await run(file, pods, { informer: { listerWatcher } });
      expect(errors.map(({ code }) => code)).to.deep.equal(['WARM_START_REFUSED']);
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  });

  it('keeps the earlier file when the disk is full, and the informer goes on', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      const pods = source();
      await run(file, pods);
      const saved = readFileSync(file);
      const full = {
        ...nodeFiles,
        create: async (path: string) => {
          const made = await nodeFiles.create(path);
          return {
            ...made,
            close: () => made.close(),
            sync: () => made.sync(),
            write: () =>
              Promise.reject(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })),
          };
        },
      };
      pods.add(pod('late'));
      const { errors, objects } = await run(file, pods, {
        snapshot: { files: full },
        during: (informer) => until('the new pod', () => informer.lister.list().length === 4),
      });
      expect(errors.map(({ code }) => code)).to.deep.equal(['SNAPSHOT_FILE']);
      expect(objects).to.have.length(4);
      expect(readFileSync(file)).to.deep.equal(saved);
      expect(readdirSync(folder)).to.deep.equal(['pods.snapshot']);
    });
  });

  it('saves a changed cache from time to time', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'pods.snapshot');
      await run(file, source(), {
        snapshot: { everyMs: 100 },
        during: () => until('the file', () => readdirSync(folder).includes('pods.snapshot')),
      });
    });
  });

  it('refuses options that do not go together', () => {
    const warmStart = fileWarmStart({ file: 'a', identity: IDENTITY, runtime: realRuntime });
    for (const option of [{ transform: (one: Pod) => one }, { order: 'key' as const }]) {
      expect(() => new SharedIndexInformer<Pod>({ listerWatcher: source(), warmStart, ...option }))
        .to.throw('option "warmStart" does not go with option')
        .with.property('code', 'INVALID_OPTION');
    }
    expect(() => fileWarmStart({ file: 'a' } as SnapshotOptions)).to.throw(
      'option "identity" is required',
    );
  });
});
