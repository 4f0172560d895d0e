import { expect } from 'chai';
import type { DumpOptions } from '../../../../lib/cache/informer/dump/cache-dump.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../../support/bytes-source.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { pod, rejection, type Pod } from '../../support/objects.ts';

interface Dumped {
  readonly head: Record<string, unknown>;
  readonly objects: readonly KubernetesObject[];
  readonly end: Record<string, unknown>;
}

async function collect(chunks: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

function parsed(chunks: readonly string[]): Dumped {
  const text = chunks.join('');
  expect(text.endsWith('\n')).to.equal(true);
  const lines = text.trimEnd().split('\n');
  const [head, ...objects] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const end = objects.pop();
  return { head: head!, objects, end: end! };
}

function names(objects: readonly KubernetesObject[]): string[] {
  return objects.map(({ metadata }) => metadata?.name ?? '').toSorted();
}

/** An informer of pods that came as bytes. */
async function started(
  count: number,
  options: HarnessOptions = {},
): Promise<Harness & { readonly pods: ScriptedListerWatcher<Pod> }> {
  const runtime = new VirtualRuntime();
  const objects = Array.from({ length: count }, (_, index) => pod(`pod-${index}`));
  const pods = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
  const harness = new Harness({ runtime, listerWatcher: new BytesSource(pods), ...options });
  await harness.start();
  return Object.assign(harness, { pods });
}

function reader(harness: Harness, options: DumpOptions): AsyncIterator<string> {
  return harness.informer.dump(options)[Symbol.asyncIterator]();
}

async function dumped(harness: Harness, options: DumpOptions = {}): Promise<string[]> {
  return await harness.runtime.run(collect(harness.informer.dump(options)));
}

describe('informer.dump', () => {
  it('has a line about the informer, one for each object, and a last one', async () => {
    const harness = await started(3);
    const { head, objects, end } = parsed(await dumped(harness));
    expect(head).to.include({ dump: 1, informer: 'pods', objects: 3, mask: 'secrets' });
    expect(head['resourceVersion']).to.equal(harness.informer.indexer.resourceVersion);
    expect(head['inspection']).to.include({ phase: 'running', synced: true });
    expect(names(objects)).to.deep.equal(['pod-0', 'pod-1', 'pod-2']);
    expect(objects).to.have.deep.members([...harness.informer.lister.list()]);
    expect(end).to.deep.equal({ end: true, objects: 3 });
    await harness.stop();
  });

  it('comes in chunks of whole lines', async () => {
    const harness = await started(50);
    const chunks = await dumped(harness, { chunkBytes: 1000 });
    expect(chunks).to.have.length.above(3);
    for (const chunk of chunks) expect(chunk.endsWith('\n')).to.equal(true);
    expect(parsed(chunks).objects).to.have.length(50);
    await harness.stop();
  });

  it('has the objects of one moment, also those that leave the cache while it is read', async () => {
    const harness = await started(20);
    const chunks = reader(harness, { chunkBytes: 1 });
    const first = (await harness.runtime.run(chunks.next())).value as string;
    for (let index = 0; index < 20; index += 1)
      harness.pods.delete({ namespace: 'shop', name: `pod-${index}` });
    await harness.settle();
    const rest: string[] = [first];
    for (;;) {
      const { value, done } = await harness.runtime.run(chunks.next());
      if (done === true) break;
      rest.push(value);
    }
    expect(parsed(rest).objects).to.have.length(20);
    expect(harness.informer.inspect().memory.retention).not.to.equal('body');
    await harness.stop();
  });

  it('masks the values of Secrets, and decodes nothing that the cache would keep', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', data: { a: 'aGlkZGVu' } };
    const harness = await started(0, { cache: 'objects' });
    harness.pods.add({ ...pod('s'), ...secret });
    await harness.settle();
    const text = (await dumped(harness)).join('');
    expect(text).to.include('bWFza2Vk');
    expect(text).not.to.include('aGlkZGVu');
    expect((await dumped(harness, { mask: 'nothing' })).join('')).to.include('aGlkZGVu');
    expect(harness.informer.inspect().memory.decodedBytes).to.equal(0);
    await harness.stop();
  });

  it('ends with TIMEOUT for a reader that stops reading, and then holds nothing', async () => {
    const harness = await started(20);
    const chunks = reader(harness, { chunkBytes: 1, timeoutMs: 5000 });
    await harness.runtime.run(chunks.next());
    expect(harness.informer.inspect().memory.retention).to.equal('body');
    await harness.runtime.advance(5001);
    expect(harness.informer.inspect().memory.retention).not.to.equal('body');
    const error = await rejection(harness.runtime.run(chunks.next()));
    expect(error).to.have.property('code', 'TIMEOUT');
    expect(error.message).to.equal(
      'the dump of pods ended after 1 of 20 objects: its reader took longer than 5000 ms for a chunk',
    );
    await harness.stop();
  });

  it('holds nothing after its reader has left the loop, and stops at an abort', async () => {
    const harness = await started(20);
    const abort = new AbortController();
    const chunks = reader(harness, { chunkBytes: 1, signal: abort.signal });
    await harness.runtime.run(chunks.next());
    abort.abort(new Error('enough'));
    expect((await rejection(harness.runtime.run(chunks.next()))).message).to.equal('enough');
    expect(harness.informer.inspect().memory.retention).not.to.equal('body');
    await harness.stop();
  });

  it('refuses options that it does not know, when it is called', async () => {
    const harness = await started(1);
    const { informer } = harness;
    expect(() => informer.dump({ chunkBytes: 0 })).to.throw('dump: option "chunkBytes"');
    expect(() => informer.dump({ masks: 'nothing' } as DumpOptions)).to.throw(
      'did you mean "mask"',
    );
    await harness.stop();
  });
});
