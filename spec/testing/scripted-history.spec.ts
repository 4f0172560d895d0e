import { expect } from 'chai';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { isListwatchError } from '../../lib/kernel/failure/errors.ts';
import { ScriptedListerWatcher } from '../../lib/testing/scripted-lister-watcher.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';

const foo: KubernetesObject = { metadata: { name: 'foo' } };

/** The versions that a watch brings until it ends, and how it ends. */
async function versions(source: ScriptedListerWatcher, resourceVersion: string): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const batch of await source.watch({ resourceVersion })) {
      for (const event of batch) {
        if (event.type !== 'BOOKMARK') seen.push(event.object.metadata.resourceVersion!);
      }
    }
    return [...seen, 'end'];
  } catch (error) {
    return [...seen, isListwatchError(error) ? error.code : String(error)];
  }
}

describe('the history of a ScriptedListerWatcher', () => {
  const writtenThrice = (): { runtime: VirtualRuntime; source: ScriptedListerWatcher } => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher({ runtime, objects: [foo] });
    source.modify(foo);
    source.modify(foo);
    return { runtime, source };
  };

  it('shows each watch exactly what follows its version, and numbers lists by the last write', async () => {
    const { runtime, source } = writtenThrice();
    const watches = ['1', '2', '3'].map((version) => versions(source, version));
    expect(await source.list({})).to.include({ resourceVersion: '3' });
    await runtime.settle();
    source.closeWatches();
    expect(await Promise.all(watches)).to.deep.equal([['2', '3', 'end'], ['3', 'end'], ['end']]);
  });

  it('refuses what lies before a reset, and serves from there on', async () => {
    const { runtime, source } = writtenThrice();
    const cut = versions(source, '3');
    await runtime.settle();
    source.dropConnections();
    source.compact();
    expect(await cut).to.deep.equal(['CONNECTION_FAILED']);
    expect(await versions(source, '1')).to.deep.equal(['EXPIRED']);
    const current = versions(source, '3');
    await runtime.settle();
    source.modify(foo);
    await runtime.settle();
    source.closeWatches();
    expect(await current).to.deep.equal(['4', 'end']);
  });
});
