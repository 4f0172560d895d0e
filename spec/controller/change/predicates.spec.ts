import { expect } from 'chai';
import { LazyChange } from '../../../lib/controller/change/object-change.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  generationChanged,
  inNamespaces,
  labelsChanged,
  not,
  specOrMetadataChanged,
  withLabels,
  type Predicate,
} from '../../../lib/controller/change/predicates.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';

const BASE: ObjectMeta = { name: 'a', namespace: 'shop', generation: 1, labels: { app: 'web' } };

function stored(metadata: ObjectMeta): { metadata: ObjectMeta; object: Stored<KubernetesObject> } {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata } as Stored<KubernetesObject>;
  return { metadata, object };
}

function updated(change: ObjectMeta, from: ObjectMeta = BASE): LazyChange<KubernetesObject> {
  return new LazyChange('updated', { key: 'shop/a' }, stored({ ...from, ...change }), stored(from));
}

const added = new LazyChange('added', { key: 'shop/a' }, stored(BASE));
const deleted = new LazyChange('deleted', { key: 'shop/a' }, stored(BASE));
const resync = new LazyChange(
  'updated',
  { key: 'shop/a', resync: true },
  stored(BASE),
  stored(BASE),
);

describe('predicates of changes', () => {
  const comparing: readonly [string, Predicate][] = [
    ['generationChanged', generationChanged],
    ['labelsChanged', labelsChanged],
    ['annotationsChanged', annotationsChanged],
    ['specOrMetadataChanged', specOrMetadataChanged],
  ];
  for (const [name, predicate] of comparing) {
    it(`${name} passes additions and deletions`, () => {
      expect(predicate(added)).to.equal(true);
      expect(predicate(deleted)).to.equal(true);
    });
  }

  it('generationChanged passes another generation, and objects without one', () => {
    expect(generationChanged(updated({ generation: 2 }))).to.equal(true);
    expect(generationChanged(updated({ labels: {} }))).to.equal(false);
    const { generation: _none, ...without } = BASE;
    expect(generationChanged(updated({}, without))).to.equal(true);
  });

  it('labelsChanged and annotationsChanged compare contents', () => {
    expect(labelsChanged(updated({ labels: { app: 'web' } }))).to.equal(false);
    expect(labelsChanged(updated({ labels: { app: 'db' } }))).to.equal(true);
    expect(annotationsChanged(updated({ labels: { app: 'db' } }))).to.equal(false);
    expect(annotationsChanged(updated({ annotations: { note: 'x' } }))).to.equal(true);
  });

  const relevant: readonly [string, ObjectMeta][] = [
    ['the generation', { generation: 2 }],
    ['labels', { labels: {} }],
    ['annotations', { annotations: { a: 'b' } }],
    ['finalizers', { finalizers: ['example.com/hold'] }],
    ['the deletion timestamp', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['owners', { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] }],
  ];
  for (const [what, change] of relevant) {
    it(`specOrMetadataChanged passes a change of ${what}`, () => {
      expect(specOrMetadataChanged(updated(change))).to.equal(true);
    });
  }

  it('specOrMetadataChanged leaves out other updates, but not a resync', () => {
    expect(specOrMetadataChanged(updated({ resourceVersion: '2' }))).to.equal(false);
    expect(specOrMetadataChanged(resync)).to.equal(true);
  });

  it('inNamespaces and withLabels select objects; one that leaves a selection still passes', () => {
    expect(inNamespaces('shop', 'web')(added)).to.equal(true);
    expect(inNamespaces('web')(added)).to.equal(false);
    expect(withLabels('app=web')(updated({ labels: {} }))).to.equal(true);
    expect(withLabels('app=web')(updated({ labels: {} }, { ...BASE, labels: {} }))).to.equal(false);
    expect(() => withLabels('a in ('))
      .to.throw()
      .with.property('code', 'INVALID_SELECTOR');
  });

  it('changed passes what changes a part of the object', () => {
    const label = changed(({ metadata }: Stored<KubernetesObject>) => Object.keys(metadata));
    expect(label(added)).to.equal(true);
    expect(label(updated({ labels: { app: 'other' } }))).to.equal(false);
    expect(label(updated({ annotations: {} }))).to.equal(true);
  });

  it('are combined by allOf, anyOf and not', () => {
    const [yes, no] = [() => true, () => false];
    expect(allOf(yes, no)(added)).to.equal(false);
    expect(allOf(yes, yes)(added)).to.equal(true);
    expect(anyOf(no, yes)(added)).to.equal(true);
    expect(anyOf(no, no)(added)).to.equal(false);
    expect(not(no)(added)).to.equal(true);
  });
});
