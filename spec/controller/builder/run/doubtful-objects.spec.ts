import { expect } from 'chai';
import { DoubtfulObjects } from '../../../../lib/controller/builder/run/doubtful-objects.ts';
import {
  reasonOf,
  type ReconcileReason,
} from '../../../../lib/controller/change/reconcile-reasons.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';

const { signal } = new AbortController();
const dependentDeleted: ReconcileReason = { ...reasonOf('deleted'), via: 'owned' };

function stored(uid: string, deletionTimestamp?: string): Stored<KubernetesObject> {
  const metadata = { name: 'a', namespace: 'shop', uid, resourceVersion: '1', deletionTimestamp };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata } as Stored<KubernetesObject>;
}

/** A server with these objects, which notes what it is asked for. */
function serving(...items: Stored<KubernetesObject>[]) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    list: async ({ fieldSelector }: { readonly fieldSelector?: string | undefined }) => {
      asked.push(fieldSelector);
      return { items };
    },
  };
}

describe('an object whose dependent was deleted', () => {
  let doubtful: DoubtfulObjects;

  beforeEach(() => {
    doubtful = new DoubtfulObjects();
  });

  it('is in doubt until the server has it, and by no other reason', async () => {
    const others = [reasonOf('added'), { ...reasonOf('deleted'), via: 'own' }, reasonOf('retry')];
    expect(doubtful.note('shop/a', others)).to.equal(false);
    expect(doubtful.note('shop/a', [reasonOf('updated'), dependentDeleted])).to.equal(true);
    expect(doubtful.note('shop/a', [reasonOf('retry')])).to.equal(true);
    expect(doubtful.note('shop/b', [])).to.equal(false);
    const server = serving(stored('1'));
    expect(await doubtful.isThere('shop/a', stored('1'), server, { signal })).to.equal(true);
    expect(server.asked).to.deep.equal(['metadata.name=a']);
    expect(doubtful.note('shop/a', [])).to.equal(false);
  });

  it('is gone when the server has none, another one, or one that is being deleted, and stays in doubt', async () => {
    for (const items of [[], [stored('2')], [stored('1', '2026-01-01T00:00:00Z')]]) {
      doubtful.note('shop/a', [dependentDeleted]);
      const server = serving(...items);
      expect(await doubtful.isThere('shop/a', stored('1'), server, { signal })).to.equal(false);
      expect(doubtful.note('shop/a', [])).to.equal(true);
    }
    doubtful.forget('shop/a');
    expect(doubtful.note('shop/a', [])).to.equal(false);
  });
});
