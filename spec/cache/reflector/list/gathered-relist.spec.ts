import { expect } from 'chai';
import type { Relist } from '../../../../lib/cache/reflector/contract/reflector-sink.ts';
import { gatheredRelist } from '../../../../lib/cache/reflector/list/sink-relist.ts';
import { metaNamespaceKeyFunc } from '../../../../lib/meta/key.ts';
import { DecodedView } from '../../../../lib/meta/object-view.ts';
import {
  bookmark,
  event,
  RecordingSink,
  thing,
  type Thing,
  type View,
} from '../reflector-support.ts';

function gathering(): { sink: RecordingSink; relist: Relist<View> } {
  const sink = new RecordingSink();
  return { sink, relist: gatheredRelist<View>(sink, metaNamespaceKeyFunc) };
}

const view = (name: string, spec?: string): View => new DecodedView<Thing>(thing(name, spec));

describe('gatheredRelist', () => {
  it('hands all items over at the commit, as they came', () => {
    const { sink, relist } = gathering();
    relist.add([view('b'), view('')]);
    relist.add([view('a'), view('b')]);
    expect(sink.calls).to.deep.equal([]);
    expect(relist.commit('5')).to.equal(4);
    expect(sink.calls).to.deep.equal(['replace b  a b @5']);
  });

  it('lets objects change and vanish by events, in the order in which they first came', () => {
    const { sink, relist } = gathering();
    relist.apply([event('ADDED', 'c', '1'), event('ADDED', '', '2'), event('ADDED', 'b', '3')]);
    relist.apply([event('MODIFIED', 'c', '4'), bookmark('4'), event('DELETED', 'b', '5')]);
    relist.apply([event('DELETED', '', '6'), event('DELETED', 'never seen', '7')]);
    expect(relist.commit('7')).to.equal(2);
    expect(sink.calls).to.deep.equal(['replace c  @7']);
    expect(sink.objects.get('c')?.metadata.resourceVersion).to.equal('4');
  });

  it('takes items and events in any order', () => {
    const { sink, relist } = gathering();
    relist.add([view('a', 'listed'), view('b'), view('')]);
    relist.apply([event('DELETED', 'b', '2')]);
    relist.add([view('c'), view('a', 'listed again')]);
    expect(relist.commit('3')).to.equal(3);
    expect(sink.calls).to.deep.equal(['replace a c  @3']);
    expect(sink.objects.get('a')?.spec).to.equal('listed again');
  });

  it('leaves nothing behind when it is discarded, and may be after its commit', () => {
    const { sink, relist } = gathering();
    relist.add([view('a')]);
    relist.discard();
    relist.discard();
    expect(relist.commit('3')).to.equal(0);
    relist.discard();
    expect(sink.calls).to.deep.equal(['replace  @3']);
  });
});
