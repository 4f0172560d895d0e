import { expect } from 'chai';
import { controllerOf } from '../../lib/meta/object.ts';
import { DecodedView } from '../../lib/meta/object-view.ts';

describe('controllerOf', () => {
  const owner = (name: string, controller?: boolean) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name,
    uid: name,
    ...(controller === undefined ? {} : { controller }),
  });

  it('is the one owner that controls', () => {
    const ownerReferences = [owner('a'), owner('b', false), owner('c', true)];
    expect(controllerOf({ metadata: { ownerReferences } })?.name).to.equal('c');
  });

  it('is undefined for an object that is only owned, or not at all', () => {
    expect(controllerOf({ metadata: { ownerReferences: [owner('a')] } })).to.equal(undefined);
    expect(controllerOf({})).to.equal(undefined);
  });
});

describe('DecodedView', () => {
  it('shows the object it was made of, and metadata even when that has none', () => {
    const pod = { metadata: { name: 'a' } };
    expect(new DecodedView(pod).object).to.equal(pod);
    expect(new DecodedView(pod).metadata).to.equal(pod.metadata);
    expect(new DecodedView({}).metadata).to.deep.equal({});
  });
});
