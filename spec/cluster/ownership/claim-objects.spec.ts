import { expect } from 'chai';
import { claimObjects, type OwnersPatch } from '../../../lib/cluster/ownership/claim-objects.ts';
import { conflict, notFound } from '../../../lib/meta/failure/failures.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import { parseLabelSelector } from '../../../lib/meta/selectors/label-selector.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import { caught } from '../support/virtual-cluster-world.ts';

type Thing = Stored<KubernetesObject> & { readonly metadata: ObjectMeta };

function thing(name: string, more: ObjectMeta = {}): Thing {
  const uid = `uid-${name}`;
  const creationTimestamp = '2030-01-01T00:00:00Z';
  const metadata = { name, uid, namespace: 'shop', resourceVersion: '1', creationTimestamp };
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { ...metadata, ...more } as Thing['metadata'],
  };
}

function of(owner: Thing): Pick<ObjectMeta, 'ownerReferences'> {
  const { name, uid } = owner.metadata;
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'Thing', name, uid, controller: true }] };
}

const owner = thing('owner');
const gone = { deletionTimestamp: '2030-01-01T00:00:00Z' };
const web = { labels: { app: 'web' } };
const selector = parseLabelSelector('app=web');
const subject = { group: '', resource: 'things' };

interface Outcome {
  readonly claimed: readonly string[];
  readonly patches: readonly [string, OwnersPatch][];
  readonly reads: number;
}

async function claim(
  objects: readonly Thing[],
  { by = owner, fresh = by, fail }: { by?: Thing; fresh?: Thing; fail?: Error } = {},
): Promise<Outcome> {
  const patches: [string, OwnersPatch][] = [];
  let reads = 0;
  const claimed = await claimObjects<KubernetesObject>(objects, {
    owner: by,
    selector,
    fresh: async () => {
      reads += 1;
      return fresh;
    },
    patch: async (object, patch) => {
      patches.push([object.metadata.name, patch]);
      if (fail !== undefined) throw fail;
      return object;
    },
  });
  return { claimed: claimed.map(({ metadata }) => metadata.name), patches, reads };
}

describe('claimObjects', () => {
  it('keeps what the owner has and selects, and leaves alone what another one has', async () => {
    const other = thing('other');
    const found = await claim([
      thing('mine', { ...web, ...of(owner) }),
      thing('theirs', { ...web, ...of(other) }),
      thing('unrelated', {}),
    ]);
    expect(found).to.deep.equal({ claimed: ['mine'], patches: [], reads: 0 });
  });

  it('adopts orphans that it selects after one fresh read of the owner', async () => {
    const found = await claim([
      thing('one', web),
      thing('two', web),
      thing('leaving', { ...web, ...gone }),
      thing('elsewhere', { ...web, namespace: 'other' }),
    ]);
    expect(found.claimed).to.deep.equal(['one', 'two']);
    expect(found.reads).to.equal(1);
    expect(found.patches[0]).to.deep.equal([
      'one',
      {
        metadata: {
          uid: 'uid-one',
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Thing',
              name: 'owner',
              uid: 'uid-owner',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      },
    ]);
  });

  it('releases what the owner has and does not select', async () => {
    const found = await claim([thing('mine', of(owner))]);
    const ownerReferences = [{ $patch: 'delete', uid: 'uid-owner' }];
    expect(found).to.deep.equal({
      claimed: [],
      patches: [['mine', { metadata: { uid: 'uid-mine', ownerReferences } }]],
      reads: 0,
    });
  });

  it('changes nothing for an owner that is being deleted', async () => {
    const by = thing('owner', gone);
    const objects = [
      thing('kept', { ...web, ...of(owner) }),
      thing('orphan', web),
      thing('unselected', of(owner)),
    ];
    expect(await claim(objects, { by })).to.deep.equal({
      claimed: ['kept'],
      patches: [],
      reads: 0,
    });
  });

  it('adopts nothing when the fresh read shows a deletion, or another owner of the name', async () => {
    for (const fresh of [thing('owner', gone), thing('owner', { uid: 'uid-later' })]) {
      const error = await caught(claim([thing('orphan', web)], { fresh }));
      expect(error).to.include({ code: 'OWNER_REFUSED' });
    }
  });

  it('leaves out an orphan that is gone, and throws another failure after all were tried', async () => {
    const orphans = [thing('one', web), thing('two', web)];
    const missing = await claim(orphans, { fail: notFound(subject, 'one') });
    expect(missing.claimed).to.deep.equal([]);
    expect(missing.patches).to.have.length(2);
    const fail = conflict(subject, 'one', 'changed');
    expect(await caught(claim(orphans, { fail }))).to.equal(fail);
  });
});
