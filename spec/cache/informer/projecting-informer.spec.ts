import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { ListerWatcherSource } from '../../../lib/cache/informer/factory/informer-request.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../support/bytes-source.ts';
import { codeOf } from '../support/objects.ts';

interface Pod extends KubernetesObject {
  readonly spec: { readonly nodeName?: string; readonly restartPolicy: string };
  readonly status?: { readonly phase: string; readonly podIP?: string };
}

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { nodeName: 'n1', restartPolicy: 'Always' },
  status: { phase: 'Running', podIP: '10.0.0.1' },
};

const runtime = new VirtualRuntime();
const logger = {
  debug: (): void => {},
  info: (): void => {},
  warn: (): void => {},
  error: (): void => {},
};

function sourceOf(): BytesSource<Pod> {
  return new BytesSource(new ScriptedListerWatcher<Pod>({ runtime, objects: [POD] }));
}

/** The part of a client that a factory uses. */
const client = {
  listerWatcher: () => sourceOf(),
} as unknown as ListerWatcherSource<{ 'v1/pods': Pod }>;

describe('an informer of some fields', () => {
  it('gives handlers, indexes and readers nothing else, and its types say so', async () => {
    const notified: unknown[] = [];
    const informer = SharedIndexInformer.projecting({
      listerWatcher: sourceOf(),
      fields: ['spec.nodeName', 'status.phase'],
      indexers: { byNode: ({ spec }) => [spec.nodeName ?? ''] },
      runtime,
      logger,
    });
    informer.addHandler({ onAdd: (pod) => notified.push(pod) });
    const running = informer.run();
    await runtime.run(informer.whenSynced());
    await runtime.settle();
    const [pod] = informer.indexer.byIndex('byNode', 'n1');
    expect(pod?.spec.nodeName).to.equal('n1');
    expect(pod?.status?.phase).to.equal('Running');
    // @ts-expect-error -- it was left out
    expect(pod?.spec.restartPolicy).to.equal(undefined);
    // @ts-expect-error -- so was this
    expect(pod?.status?.podIP).to.equal(undefined);
    expect(notified).to.deep.equal([pod]);
    await runtime.run(informer.close());
    await running;
  });

  it('transforms what is left of an object', async () => {
    const informer = SharedIndexInformer.projecting({
      listerWatcher: sourceOf(),
      fields: ['spec.nodeName'],
      transform: (pod) => ({ ...pod, spec: { nodeName: Object.keys(pod.spec).join() } }),
      freeze: true,
      runtime,
      logger,
    });
    const running = informer.run();
    await runtime.run(informer.whenSynced());
    await runtime.settle();
    expect(informer.lister.list()[0]?.spec).to.deep.equal({ nodeName: 'nodeName' });
    await runtime.run(informer.close());
    await running;
  });

  it('is made by a factory with a declared type, and shared by callers that name the same fields', async () => {
    await using factory = new SharedInformerFactory(client, { runtime, logger });
    const pods = factory.for('v1', 'pods', { fields: ['spec.nodeName'], cache: { mode: 'bytes' } });
    const node: string | undefined = pods.lister.list()[0]?.spec.nodeName;
    expect(node).to.equal(undefined);
    expect(
      factory.for('v1', 'pods', { fields: ['spec.nodeName'], cache: { mode: 'bytes' } }),
    ).to.equal(pods);
    expect(codeOf(() => factory.for('v1', 'pods', { fields: ['spec'] }))).to.equal(
      'INVALID_OPTION',
    );
    expect(codeOf(() => factory.for('v1', 'pods', { cache: 'bytes' }))).to.equal('INVALID_OPTION');
    // @ts-expect-error -- a pod has no such field
    expect(() => factory.for('v1', 'pods', { fields: ['spec.nodename'] })).to.throw('fields');
  });

  it('refuses fields that are not paths', () => {
    const listerWatcher = sourceOf();
    for (const fields of ['spec', [''], [7], {}]) {
      const make = (): unknown =>
        SharedIndexInformer.projecting({ listerWatcher, fields: fields as never, runtime });
      expect(codeOf(make), JSON.stringify(fields)).to.equal('INVALID_OPTION');
    }
  });
});

describe('the option "cache" of an informer', () => {
  const informerWith = (cache: unknown): SharedIndexInformer<Pod> =>
    new SharedIndexInformer<Pod>({ listerWatcher: sourceOf(), runtime, cache: cache as 'bytes' });

  it('takes a mode, or a mode with its options', () => {
    const modes = ['objects', 'bytes'] as const;
    for (const mode of modes) {
      expect(informerWith(mode).inspect().memory.mode).to.equal(mode);
      expect(informerWith({ mode }).inspect().memory.mode).to.equal(mode);
    }
    expect(informerWith({ mode: 'bytes', decodedBytes: 0 }).inspect().memory.mode).to.equal(
      'bytes',
    );
    expect(informerWith(undefined).inspect().memory.mode).to.equal('bytes');
  });

  it('refuses everything else', () => {
    for (const cache of [
      'memory',
      'compressed',
      { mode: 'compressed' },
      7,
      null,
      {},
      { mode: 'zip' },
      { mode: 'objects', decodedBytes: 1 },
      { mode: 'bytes', decodedBytes: -1 },
      { mode: 'bytes', decodedBytes: '32MB' },
      { mode: 'bytes', budget: 1 },
    ]) {
      expect(
        codeOf(() => informerWith(cache)),
        JSON.stringify(cache),
      ).to.equal('INVALID_OPTION');
    }
  });

  it('hands out lists of metadata, and of nothing else that is asked for', () => {
    const { lister } = informerWith('bytes');
    expect(lister.list({ view: 'metadata' })).to.deep.equal([]);
    expect(codeOf(() => lister.list({ view: 'object' } as never))).to.equal('INVALID_OPTION');
    // @ts-expect-error -- metadata has no spec
    expect(lister.list({ view: 'metadata' })[0]?.spec).to.equal(undefined);
  });
});
