import { expect } from 'chai';
import { StreamOrder } from '../../../../lib/cache/reflector/watch/stream-order.ts';
import type { HasMetadata } from '../../../../lib/meta/object.ts';
import type { WatchEvent } from '../../../../lib/meta/watch-event.ts';

type Event = WatchEvent<HasMetadata>;

const event = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  resourceVersion?: string,
  name = 'x',
): Event => ({
  type,
  object: { metadata: { name, resourceVersion } },
});

const modified = (...versions: string[]): Event[] =>
  versions.map((version) => event('MODIFIED', version));

const bookmark = (resourceVersion: string): Event => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: false,
});

const versions = (batch: readonly Event[]): (string | undefined)[] =>
  batch.map((one) =>
    one.type === 'BOOKMARK'
      ? `bookmark ${one.resourceVersion}`
      : one.object.metadata?.resourceVersion,
  );

describe('StreamOrder', () => {
  it('passes a batch in order as it is, without a copy', () => {
    const order = new StreamOrder('9', false);
    const batch = [...modified('10', '99', '100'), bookmark('100'), bookmark('120')];
    expect(order.take(batch)).to.equal(batch);
    expect(order.newest).to.equal('120');
    expect(order.dropped).to.equal(0);
  });

  it('drops events that are not newer than earlier ones, over batches too', () => {
    const order = new StreamOrder('10', false);
    expect(versions(order.take(modified('9', '10', '11', '11', '8', '12')))).to.deep.equal([
      '11',
      '12',
    ]);
    expect(versions(order.take(modified('12', '5', '13')))).to.deep.equal(['13']);
    expect(order.newest).to.equal('13');
    expect(order.dropped).to.equal(6);
  });

  it('compares versions as numbers of any size', () => {
    const order = new StreamOrder('9007199254740993', false);
    expect(
      versions(order.take(modified('9007199254740992', '9007199254740994', '999'))),
    ).to.deep.equal(['9007199254740994']);
    expect(versions(order.take(modified('10000000000000000000')))).to.have.length(1);
  });

  it('passes different objects with one version, as a lease deletes them, but none of them twice', () => {
    const order = new StreamOrder('10', false);
    const gone = (name: string): Event => event('DELETED', '11', name);
    const first = [gone('a'), gone('b'), gone('c')];
    expect(order.take(first)).to.equal(first);
    expect(order.take([gone('b'), gone('d')])).to.have.length(1);
    expect(order.take([gone('a'), gone('b'), gone('c'), gone('d')])).to.deep.equal([]);
    expect(order.take([event('MODIFIED', '12', 'a')])).to.have.length(1);
    expect(order.take([event('MODIFIED', '12', 'a')])).to.deep.equal([]);
  });

  it('takes everything up to the version it starts at, or a bookmark was sent for, as having come', () => {
    const order = new StreamOrder('10', false);
    expect(order.take([event('DELETED', '10', 'other')])).to.deep.equal([]);
    expect(order.take([...modified('12'), bookmark('15')])).to.have.length(2);
    expect(order.take([event('DELETED', '15', 'other')])).to.deep.equal([]);
  });

  it('passes events without a version, or with one that is no decimal number', () => {
    const order = new StreamOrder('10', false);
    const batch = [event('MODIFIED'), ...modified('', 'abc', 'abb', 'zz', '09', '5')];
    expect(order.take(batch)).to.equal(batch);
    expect(order.newest).to.equal('5');
    expect(order.take(modified('4', '6'))).to.have.length(1);
  });

  it('lets the objects of an unordered start pass, until a change or a bookmark comes', () => {
    const order = new StreamOrder('', true);
    const start = [event('ADDED', '9'), event('ADDED', '3')];
    expect(order.take(start)).to.equal(start);
    expect(order.newest).to.equal('');
    expect(order.take([event('MODIFIED', '10'), event('ADDED', '7')])).to.have.length(1);
    expect(order.newest).to.equal('10');
    const other = new StreamOrder('0', true);
    expect(other.take([event('ADDED', '9'), bookmark('12'), event('ADDED', '11')])).to.have.length(
      2,
    );
    expect(other.newest).to.equal('12');
  });

  it('stops at a bookmark with an older version, and never uses that version', () => {
    const order = new StreamOrder('10', false);
    const kept = order.take([...modified('11', '9'), bookmark('10'), ...modified('12')]);
    expect(versions(kept)).to.deep.equal(['11']);
    expect(order.wentBackTo).to.equal('10');
    expect(order.newest).to.equal('11');
    expect(order.dropped).to.equal(1);
    const other = new StreamOrder('10', false);
    expect(other.take([bookmark('9')])).to.deep.equal([]);
    expect(other.wentBackTo).to.equal('9');
  });

  it('passes a bookmark for what was seen already, or without a version', () => {
    const order = new StreamOrder('10', false);
    const batch = [bookmark('10'), bookmark(''), bookmark('10')];
    expect(order.take(batch)).to.equal(batch);
    expect(order.wentBackTo).to.equal(undefined);
  });
});
