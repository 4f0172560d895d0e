import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { forbidden } from '../../../lib/meta/failure/failures.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import { ServedCollection } from '../../../lib/recorder/replay-server/served-collection.ts';
import { kindOfResource } from '../../../lib/recorder/replay-server/replay-server.ts';
import type { ServedPart } from '../../../lib/recorder/replay-server/served-part.ts';
import { ServedStage } from '../../../lib/recorder/replay-server/served-stage.ts';
import { serverContext } from '../../../lib/server/registry/contract/server-context.ts';
import { pod, rejection } from '../../cache/support/objects.ts';

const PODS = { apiVersion: 'v1', resource: 'pods', itemKind: undefined, namespaced: true };

function view(name: string, resourceVersion: string): ObjectView {
  return new DecodedView(pod(name, { resourceVersion }));
}

/** Pods of namespaces, whose first lists are there. */
function served(...namespaces: readonly string[]): Served {
  const stage = new ServedStage(() => {});
  const collection = new ServedCollection(kindOfResource(PODS, []), namespaces, stage);
  for (const part of collection.parts) part.expect();
  return { stage, collection, parts: collection.parts };
}

interface Served {
  readonly stage: ServedStage;
  readonly collection: ServedCollection;
  readonly parts: readonly ServedPart[];
}

async function listed({ collection }: Served, namespace = ''): Promise<readonly [string, string]> {
  const { items, resourceVersion } = await collection.list(serverContext(namespace, undefined), {});
  return [items.map(({ metadata }) => metadata.name).join(), resourceVersion];
}

/** The events that a watch from a version has at once. */
async function events({ collection }: Served, resourceVersion: string): Promise<readonly string[]> {
  const watch = await collection.watch(serverContext('', undefined), { resourceVersion });
  const read = await watch[Symbol.asyncIterator]().next();
  watch.destroy();
  if (read.done === true) return ['end'];
  return read.value.map((event) =>
    event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`,
  );
}

describe('ServedCollection of several parts', () => {
  it('is there when all first lists are, with the newest version of them', async () => {
    const one = served('shop', 'web');
    const [shop, web] = one.parts;
    shop?.listed([view('shop/a', '5')], '10');
    const all = listed(one);
    expect(await listed(one, 'shop')).to.deep.equal(['a', '10']);
    web?.listed([view('web/b', '6')], '12');
    expect(await all).to.deep.equal(['a,b', '12']);
    expect(await listed(one, 'web')).to.deep.equal(['b', '12']);
    expect(await listed(one, 'other')).to.deep.equal(['', '12']);
  });

  it('gives a watch changes of another part that are older than its version', async () => {
    const one = served('shop', 'web');
    const [shop, web] = one.parts;
    shop?.listed([], '10');
    web?.listed([], '10');
    await one.stage.stand(AbortSignal.abort()).catch(() => {});
    shop?.changed([{ type: 'ADDED', object: view('shop/a', '13') }]);
    const [, version] = await listed(one);
    expect(version).to.equal('13');
    web?.changed([{ type: 'ADDED', object: view('web/b', '12') }]);
    expect(await events(one, version)).to.deep.equal(['ADDED b']);
    expect(await events(one, '10')).to.deep.equal(['ADDED a', 'ADDED b']);
  });

  it('sends watches of before to a list when one part was listed again and differs', async () => {
    const one = served('shop', 'web');
    const [shop, web] = one.parts;
    shop?.listed([view('shop/a', '5')], '10');
    web?.listed([], '10');
    await one.stage.stand(AbortSignal.abort()).catch(() => {});
    web?.changed([{ type: 'ADDED', object: view('web/b', '20') }]);
    const [, version] = await listed(one);
    shop?.listed([], '18');
    const error = await rejection(events(one, version));
    expect(error).to.have.property('code', 'EXPIRED');
    const [names, later] = await listed(one);
    expect(names).to.equal('b');
    web?.changed([{ type: 'DELETED', object: view('web/b', later) }]);
    expect(await events(one, later)).to.deep.equal(['DELETED b']);
  });

  it('shows an object of two readers with selectors once, and keeps what one of them still has', async () => {
    const one = served('', '');
    const [web, small] = one.parts;
    web?.listed([view('a', '5')], '10');
    small?.listed([view('a', '5')], '10');
    await one.stage.stand(AbortSignal.abort()).catch(() => {});
    web?.changed([{ type: 'MODIFIED', object: view('a', '11') }]);
    small?.changed([{ type: 'DELETED', object: view('a', '11') }]);
    expect(await listed(one)).to.deep.equal(['a', '11']);
    expect(await events(one, '10')).to.deep.equal(['MODIFIED a']);
    web?.changed([{ type: 'DELETED', object: view('a', '12') }]);
    expect(await listed(one)).to.deep.equal(['', '12']);
  });

  it('refuses where the recorded program was refused, and fails everywhere while there is no network', async () => {
    const one = served('shop', 'web');
    const [shop, web] = one.parts;
    shop?.listed([], '10');
    web?.listed([], '10');
    const refusal = forbidden({ resource: 'pods', group: '' }, 'a', 'you may not');
    web?.refuse(refusal);
    expect(await listed(one, 'shop')).to.deep.equal(['', '10']);
    expect(await rejection(listed(one, 'web'))).to.equal(refusal);
    expect(await rejection(listed(one))).to.equal(refusal);
    const lost = new ListwatchError('CONNECTION_FAILED', 'no route');
    web?.refuse(lost);
    expect(one.stage.outage).to.equal(lost);
    shop?.refuse(undefined);
    expect(one.stage.outage, 'another request has got an answer').to.equal(undefined);
    expect(await listed(one)).to.deep.equal(['', '10']);
  });
});
