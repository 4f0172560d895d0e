import { expect } from 'chai';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { ComparedCollection } from '../../../../lib/simulator/oracle/answers/compared-collection.ts';
import { ComparedWatch } from '../../../../lib/simulator/oracle/answers/compared-answers.ts';
import { WrittenHistory } from '../support/written-history.ts';

const encoder = new TextEncoder();
const FROM_START = { from: 10n };

interface Watched {
  readonly written: WrittenHistory;
  readonly watch: ComparedWatch;
  readonly notified: string[];
  readonly send: (type: string, object: KubernetesObject) => void;
}

function watched(
  query = '',
  { from }: { readonly from: bigint | undefined } = FROM_START,
): Watched {
  const written = new WrittenHistory();
  const collection = ComparedCollection.of('configmaps', '', new URLSearchParams(query), (state) =>
    written.history.objectOf(state),
  );
  if (collection === undefined) throw new Error('no collection');
  const notified: string[] = [];
  const { changes } = written.history;
  const watch = new ComparedWatch({
    collection,
    changes,
    from,
    report: (text) => notified.push(text),
  });
  const send = (type: string, object: KubernetesObject): void =>
    watch.sent(encoder.encode(`${JSON.stringify({ type, object })}\n`));
  return { written, watch, notified, send };
}

const bookmark = (resourceVersion: string, isFirst = false): KubernetesObject => ({
  metadata: {
    resourceVersion,
    annotations: isFirst ? { 'k8s.io/initial-events-end': 'true' } : undefined,
  },
});

describe('the oracle of watches', () => {
  it('accepts all changes in their order, in pieces of any size', () => {
    const { written, watch, notified } = watched();
    const objects = [written.put('a'), written.put('b'), written.put('a'), written.delete('b')];
    const types = ['ADDED', 'ADDED', 'MODIFIED', 'DELETED'];
    const text = objects
      .map((object, index) => `${JSON.stringify({ type: types[index], object })}\n`)
      .join('');
    for (let at = 0; at < text.length; at += 7) watch.sent(encoder.encode(text.slice(at, at + 7)));
    expect(notified).to.deep.equal([]);
  });

  it('reports a change that is left out, and goes on from there', () => {
    const { written, notified, send } = watched();
    written.put('a');
    send('ADDED', written.put('b'));
    send('MODIFIED', written.put('a'));
    expect(notified).to.deep.equal([
      'it has sent ADDED of default/b at version 12, and ADDED of default/a at version 11 comes next',
    ]);
  });

  it('reports an event that comes twice, and a wrong type', () => {
    const { written, notified, send } = watched();
    const a = written.put('a');
    send('ADDED', a);
    send('ADDED', a);
    send('ADDED', written.put('a'));
    expect(notified).to.have.length(2);
    expect(notified[0]).to.include('which has not been written');
    expect(notified[1]).to.include('MODIFIED of default/a at version 12 comes next');
  });

  it('knows what a selector makes of a change', () => {
    const { written, notified, send } = watched('labelSelector=color%3Dred');
    written.put('other');
    send('ADDED', written.put('a', { color: 'red' }));
    send('DELETED', written.put('a', { color: 'blue' }));
    written.put('a', { color: 'green' });
    send('ADDED', written.put('a', { color: 'red' }));
    expect(notified).to.deep.equal([]);
  });

  it('reports a bookmark that is ahead of the events', () => {
    const { written, notified, send } = watched();
    send('ADDED', written.put('a'));
    send('BOOKMARK', bookmark(written.version));
    written.put('b');
    send('BOOKMARK', bookmark(written.version));
    expect(notified).to.deep.equal([
      'a bookmark has version 12, and the change of default/b at 12 was not sent',
    ]);
  });

  it('follows a watch that begins with the state from the end of that state on', () => {
    const { written, notified, send } = watched('', { from: undefined });
    const objects = [written.put('a'), written.put('b')];
    for (const object of objects.toReversed()) send('ADDED', object);
    send('BOOKMARK', bookmark(written.version, true));
    written.put('a');
    send('ADDED', written.put('c'));
    expect(notified).to.have.length(1);
  });

  it('names the change that is overdue', () => {
    const { written, watch, send } = watched();
    const a = written.put('a');
    expect(watch.overdue(1)?.ref.object).to.equal('default/a');
    send('ADDED', a);
    expect(watch.overdue(1)).to.equal(undefined);
  });
});
