import { expect } from 'chai';
import { GatheredReplace } from '../../../../lib/cache/reflector/list/gathered-replace.ts';
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

function gathering(): { sink: RecordingSink; stage: GatheredReplace<View> } {
  const sink = new RecordingSink();
  return { sink, stage: new GatheredReplace<View>({ sink, keyFunc: metaNamespaceKeyFunc }) };
}

const view = (name: string, spec?: string): View => new DecodedView<Thing>(thing(name, spec));

describe('GatheredReplace', () => {
  it('hands all items over at the commit, as they came', () => {
    const { sink, stage } = gathering();
    stage.add([view('b'), view('')]);
    stage.add([view('a'), view('b')]);
    expect(sink.calls).to.deep.equal([]);
    expect(stage.commit('5')).to.equal(4);
    expect(sink.calls).to.deep.equal(['replace b  a b @5']);
  });

  it('lets objects change and vanish by events, in the order in which they first came', () => {
    const { sink, stage } = gathering();
    stage.apply([event('ADDED', 'c', '1'), event('ADDED', '', '2'), event('ADDED', 'b', '3')]);
    stage.apply([event('MODIFIED', 'c', '4'), bookmark('4'), event('DELETED', 'b', '5')]);
    stage.apply([event('DELETED', '', '6'), event('DELETED', 'never seen', '7')]);
    expect(stage.commit('7')).to.equal(2);
    expect(sink.calls).to.deep.equal(['replace c  @7']);
    expect(sink.objects.get('c')?.metadata.resourceVersion).to.equal('4');
  });

  it('takes items and events in any order', () => {
    const { sink, stage } = gathering();
    stage.add([view('a', 'listed'), view('b'), view('')]);
    stage.apply([event('DELETED', 'b', '2')]);
    stage.add([view('c'), view('a', 'listed again')]);
    expect(stage.commit('3')).to.equal(3);
    expect(sink.calls).to.deep.equal(['replace a c  @3']);
    expect(sink.objects.get('a')?.spec).to.equal('listed again');
  });

  it('leaves nothing behind when it is discarded, and may be after its commit', () => {
    const { sink, stage } = gathering();
    stage.add([view('a')]);
    stage.discard();
    stage.discard();
    expect(stage.commit('3')).to.equal(0);
    stage.discard();
    expect(sink.calls).to.deep.equal(['replace  @3']);
  });
});
