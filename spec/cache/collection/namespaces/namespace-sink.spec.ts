import { expect } from 'chai';
import { DeltaFIFO } from '../../../../lib/cache/delta/delta-fifo.ts';
import { NamespaceSink } from '../../../../lib/cache/collection/namespaces/namespace-sink.ts';
import { pod, type Pod } from '../../support/objects.ts';

interface Setup {
  readonly fifo: DeltaFIFO<Pod>;
  readonly sink: NamespaceSink<Pod>;
  readonly notified: string[];
}

function setup(): Setup {
  const fifo = new DeltaFIFO<Pod>({ capacity: 1 });
  const notified: string[] = [];
  const sink = new NamespaceSink<Pod>({
    namespace: 'shop',
    fifo,
    onVersion: (version) => notified.push(version),
    onArrival: () => notified.push('arrival'),
  });
  return { fifo, sink, notified };
}

/** The queued entries; for a list its scope and its version too. */
function queued(fifo: DeltaFIFO<Pod>): string[] {
  const all: string[] = [];
  while (fifo.size > 0) {
    fifo.pop(([delta]) => {
      if (delta?.type === 'ReplacedAll') {
        const { contents, scope, resourceVersion } = delta;
        all.push(`${scope} [${[...contents.keys()].join(' ')}] @${resourceVersion}`);
      } else all.push(delta?.type ?? '');
    });
  }
  return all;
}

describe('NamespaceSink', () => {
  it('replaces the objects of its namespace, and says how far it has come', () => {
    const { fifo, sink, notified } = setup();
    const relist = sink.beginRelist();
    relist.add([pod('a'), pod('b')]);
    expect(relist.commit('5')).to.equal(2);
    sink.apply([{ type: 'ADDED', object: pod('c', { resourceVersion: '6' }) }]);
    sink.bookmark('7');
    expect(notified).to.deep.equal(['5', 'arrival', '6', 'arrival', '7', 'arrival']);
    expect(queued(fifo)).to.deep.equal(['shop/ [shop/a shop/b] @5', 'Added']);
  });

  it('empties its namespace when it is closed, once, and then takes nothing', () => {
    const { fifo, sink, notified } = setup();
    const relist = sink.beginRelist();
    relist.add([pod('a')]);
    sink.close();
    sink.close();
    relist.add([pod('b')]);
    relist.apply([{ type: 'ADDED', object: pod('b') }]);
    expect(relist.commit('5')).to.equal(0);
    relist.discard();
    sink.apply([{ type: 'ADDED', object: pod('c', { resourceVersion: '6' }) }]);
    sink.bookmark('7');
    expect(sink.waitForRoom()).to.equal(undefined);
    expect(notified).to.deep.equal([]);
    expect(queued(fifo)).to.deep.equal(['shop/ [] @']);
  });

  it('may be closed after its queue', () => {
    const { fifo, sink } = setup();
    fifo.end();
    sink.close();
    expect(queued(fifo)).to.deep.equal([]);
  });
});
