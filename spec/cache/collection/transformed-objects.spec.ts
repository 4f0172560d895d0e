import { expect } from 'chai';
import { Harness } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

const generation = (name: string, label: string): Pod =>
  pod(name, { labels: { generation: label }, nodeName: 'old' });

/** Without a resource version no two states are known to be the same. */
function transform({ metadata, ...rest }: Pod): Pod {
  const { resourceVersion, ...kept } = metadata;
  return { ...rest, metadata: kept, spec: { nodeName: `new ${resourceVersion === undefined}` } };
}

const print = ({ metadata, spec }: Pod): string =>
  `${metadata.name} ${metadata.labels?.['generation']} ${spec?.nodeName}`;

describe('transformed objects', () => {
  it('are what handlers and cache have after additions, changes and deletions', async () => {
    const harness = new Harness({ objects: [generation('a', '1')], transform });
    harness.source.modify(generation('a', '2'));
    const log: string[] = [];
    harness.informer.addHandler({
      onAdd: (object) => log.push(`+ ${print(object)}`),
      onUpdate: (old, object) => log.push(`~ ${print(old)} -> ${print(object)}`),
      onDelete: (object) => log.push(`- ${print(object)}`),
    });
    const stored = (): string[] => harness.informer.indexer.list().map(print);
    await harness.start();
    expect(log.splice(0)).to.deep.equal(['+ a 2 new false']);
    expect(stored()).to.deep.equal(['a 2 new false']);
    harness.source.add(generation('b', '1'));
    harness.source.add(generation('c', '1'));
    harness.source.modify(generation('b', '2'));
    harness.source.delete({ namespace: 'shop', name: 'a' });
    await harness.settle();
    expect(log).to.deep.equal([
      '+ b 1 new false',
      '+ c 1 new false',
      '~ b 1 new false -> b 2 new false',
      '- a 2 new false',
    ]);
    expect(stored()).to.have.members(['b 2 new false', 'c 1 new false']);
    await harness.stop();
  });

  it('keep their keys under other names', async () => {
    const harness = new Harness({
      objects: [pod('pod1'), pod('pod2')],
      transform: (object) => ({
        ...object,
        metadata: { ...object.metadata, name: object.metadata.name?.toUpperCase() },
      }),
    });
    const names: string[] = [];
    harness.informer.addHandler({ onAdd: ({ metadata }) => names.push(metadata.name) });
    await harness.start();
    expect(names).to.deep.equal(['POD1', 'POD2']);
    expect(harness.informer.indexer.keys()).to.deep.equal(['shop/pod1', 'shop/pod2']);
    await harness.stop();
  });

  it('are not transformed again by any number of resyncs and unchanged lists', async () => {
    const again: string[] = [];
    const harness = new Harness({
      objects: Array.from({ length: 5 }, (_, index) =>
        pod(`p${index}`, { labels: { raw: 'yes' } }),
      ),
      resyncIntervalMs: 1000,
      transform: (object) => {
        if (object.metadata.labels?.['raw'] !== 'yes') again.push(object.metadata.name);
        return { ...object, metadata: { ...object.metadata, labels: { raw: 'no' } } };
      },
    });
    let resyncs = 0;
    const seen = new Set<string | undefined>();
    harness.informer.addHandler({
      onAdd: ({ metadata }) => seen.add(metadata.labels?.['raw']),
      onUpdate: (_, { metadata }) => {
        resyncs += 1;
        seen.add(metadata.labels?.['raw']);
      },
    });
    await harness.start();
    await harness.runtime.advance(60_000);
    await harness.relist();
    expect(resyncs).to.be.at.least(5 * 60);
    expect(again).to.deep.equal([]);
    expect([...seen]).to.deep.equal(['no']);
    await harness.stop();
  });
});
