import type { Scenario } from './scenario.ts';
import { HOLD, ownedBy, summary } from './scenario-world.ts';

const ABSENT = '11111111-2222-3333-4444-555555555555';
const held = { finalizers: [HOLD] };

/** The work of the garbage collector on objects that own others. */
export const garbage: readonly Scenario[] = [
  {
    title: 'background: what the owner owned goes, and what that owned',
    run: async (world) => {
      const owner = await world.map('owner');
      const child = await world.map('child', [ownedBy(owner)]);
      await world.map('grandchild', [ownedBy(child, { blockOwnerDeletion: true })]);
      await world.map('other');
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Background' });
      await world.untilGone('grandchild');
      return await world.left();
    },
  },
  {
    title: 'no policy: as in the background',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('child', [ownedBy(owner)]);
      await world.of('v1/configmaps').delete('owner');
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'foreground: the owner waits for a dependent that blocks it',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('blocking', [ownedBy(owner, { blockOwnerDeletion: true })], held);
      await world.map('other', [ownedBy(owner, { blockOwnerDeletion: false })]);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilGone('other');
      const meanwhile = await world.left();
      await world.release('blocking');
      await world.untilGone('owner');
      return { meanwhile, end: await world.left() };
    },
  },
  {
    title: 'foreground: the owner does not wait for a dependent that does not block it',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('other', [ownedBy(owner)], held);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilGone('owner');
      const meanwhile = await world.left();
      await world.release('other');
      return { meanwhile, end: await world.left() };
    },
  },
  {
    title: 'foreground: three levels that block',
    run: async (world) => {
      const block = { blockOwnerDeletion: true };
      const owner = await world.map('owner');
      const child = await world.map('child', [ownedBy(owner, block)]);
      await world.map('grandchild', [ownedBy(child, block)], held);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilIs('grandchild', (one) => summary(one)['goes'] === true);
      const meanwhile = await world.left();
      await world.release('grandchild');
      await world.untilGone('owner');
      return { meanwhile, end: await world.left() };
    },
  },
  {
    title: 'foreground: an owner with a finalizer of its own keeps only that',
    run: async (world) => {
      const owner = await world.map('owner', [], held);
      await world.map('child', [ownedBy(owner, { blockOwnerDeletion: true })]);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilGone('child');
      const end = await world.left();
      await world.release('owner');
      return end;
    },
  },
  {
    title: 'foreground, then background: the owner goes at once',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('child', [ownedBy(owner, { blockOwnerDeletion: true })], held);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilIs('child', (one) => summary(one)['goes'] === true);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Background' });
      await world.untilGone('owner');
      const meanwhile = await world.left();
      await world.release('child');
      return { meanwhile, end: await world.left() };
    },
  },
  {
    title: 'orphan: the dependents stay, without their owner',
    run: async (world) => {
      const owner = await world.map('owner');
      const second = await world.map('second');
      await world.map('child', [ownedBy(owner, { blockOwnerDeletion: true })]);
      await world.map('shared', [ownedBy(owner), ownedBy(second)]);
      await world.sleep(2000);
      await world.of('v1/configmaps').delete('owner', { propagationPolicy: 'Orphan' });
      await world.untilGone('owner');
      return await world.left();
    },
  },
  {
    title: 'the owner was gone before',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.of('v1/configmaps').delete('owner');
      await world.map('child', [ownedBy(owner)]);
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'there never was an owner',
    run: async (world) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: ABSENT };
      await world.map('child', [reference]);
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'an object of the name has another uid',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('child', [ownedBy(owner, { uid: ABSENT })]);
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'an object of the uid has another name',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.map('good', [ownedBy(owner)]);
      await world.sleep(1000);
      await world.map('child', [ownedBy(owner, { name: 'other' })]);
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'two owners, one gone: the reference to it is removed',
    run: async (world) => {
      const [first, second] = [await world.map('first'), await world.map('second')];
      await world.map('child', [ownedBy(first), ownedBy(second)]);
      await world.of('v1/configmaps').delete('first');
      await world.untilIs('child', ({ metadata }) => ownersOf({ metadata }).length === 1);
      return await world.left();
    },
  },
  {
    title: 'two owners, both gone',
    run: async (world) => {
      const [first, second] = [await world.map('first'), await world.map('second')];
      await world.map('child', [ownedBy(first), ownedBy(second)]);
      await world.of('v1/configmaps').delete('first');
      await world.of('v1/configmaps').delete('second');
      await world.untilGone('child');
      return await world.left();
    },
  },
  {
    title: 'two owners, one waits in the foreground: it does not wait for what the other keeps',
    run: async (world) => {
      const block = { blockOwnerDeletion: true };
      const [first, second] = [await world.map('first'), await world.map('second')];
      await world.map('child', [ownedBy(first, block), ownedBy(second, block)]);
      await world.of('v1/configmaps').delete('first', { propagationPolicy: 'Foreground' });
      await world.untilGone('first');
      return await world.left();
    },
  },
  {
    title: 'an owner of a kind that is not served: nothing happens',
    run: async (world) => {
      const reference = { apiVersion: 'no.example.com/v1', kind: 'No', name: 'no', uid: ABSENT };
      await world.map('child', [reference]);
      await world.sleep(6000);
      return await world.left();
    },
  },
  {
    title: 'a cycle, deleted in the foreground',
    run: async (world) => {
      const block = { blockOwnerDeletion: true };
      const first = await world.map('first');
      const second = await world.map('second', [ownedBy(first, block)]);
      const ownerReferences = [ownedBy(second, block)];
      await world.of('v1/configmaps').patch('first', { metadata: { ownerReferences } });
      await world.sleep(1000);
      await world.of('v1/configmaps').delete('first', { propagationPolicy: 'Foreground' });
      await world.untilGone('second');
      return await world.left();
    },
  },
  {
    title: 'a cycle that nothing else owns stays',
    run: async (world) => {
      const owner = await world.map('owner');
      const first = await world.map('first', [ownedBy(owner)]);
      const second = await world.map('second', [ownedBy(first)]);
      const ownerReferences = [ownedBy(owner), ownedBy(second)];
      await world.of('v1/configmaps').patch('first', { metadata: { ownerReferences } });
      await world.sleep(1000);
      await world.of('v1/configmaps').delete('owner');
      await world.untilIs('first', ({ metadata }) => ownersOf({ metadata }).length === 1);
      return await world.left();
    },
  },
  {
    title: 'a custom object that a config map owns',
    run: async (world) => {
      const owner = await world.map('owner');
      await world.gadget('child', [ownedBy(owner)]);
      await world.of('v1/configmaps').delete('owner');
      await world.untilGone('child', `${world.group}/v1/gadgets`);
      return await world.left('v1/configmaps', `${world.group}/v1/gadgets`);
    },
  },
  {
    title: 'a config map that a custom object owns, in the foreground',
    run: async (world) => {
      const gadgets = `${world.group}/v1/gadgets`;
      const owner = await world.gadget('owner');
      await world.map('child', [ownedBy(owner, { blockOwnerDeletion: true })], held);
      await world.of(gadgets).delete('owner', { propagationPolicy: 'Foreground' });
      await world.untilIs('child', (one) => summary(one)['goes'] === true);
      const meanwhile = await world.left('v1/configmaps', gadgets);
      await world.release('child');
      await world.untilGone('owner', gadgets);
      return { meanwhile, end: await world.left('v1/configmaps', gadgets) };
    },
  },
  {
    title: 'custom objects that a custom object leaves as orphans',
    run: async (world) => {
      const gadgets = `${world.group}/v1/gadgets`;
      const owner = await world.gadget('owner');
      await world.gadget('child', [ownedBy(owner)]);
      await world.sleep(2000);
      await world.of(gadgets).delete('owner', { propagationPolicy: 'Orphan' });
      await world.untilGone('owner', gadgets);
      return await world.left(gadgets);
    },
  },
  {
    title: 'an owner without a namespace',
    run: async (world) => {
      const apiVersion = `${world.group}/v1`;
      const name = world.namespace;
      const globes = world.global(`${apiVersion}/globes`);
      const owner = await globes.create({ apiVersion, kind: 'Globe', metadata: { name } });
      await world.map('child', [ownedBy(owner)]);
      await world.sleep(1000);
      const before = await world.left();
      await globes.delete(name);
      await world.untilGone('child');
      return { before, end: await world.left() };
    },
  },
  {
    title: 'an owner in another namespace: the object goes, with an event',
    run: async (world) => {
      const there = world.of('v1/configmaps', 'default');
      const name = world.namespace;
      const owner = await there.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
      await world.sleep(1000);
      await world.map('child', [ownedBy(owner)]);
      await world.untilGone('child');
      const events = world.of('v1/events');
      await world.until('there is an event', async () => (await events.list()).items.length > 0);
      const { items } = await events.list();
      await there.delete(name);
      return { end: await world.left(), events: items.map(shownEvent) };
    },
  },
  {
    title: 'an object without a namespace that names an owner with one stays',
    run: async (world) => {
      const owner = await world.map('owner');
      const roles = world.global('rbac.authorization.k8s.io/v1/clusterroles');
      const name = world.namespace;
      await roles.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name, ownerReferences: [ownedBy(owner)] },
        rules: [],
      });
      await world.sleep(3000);
      await world.of('v1/configmaps').delete('owner');
      await world.sleep(6000);
      const found = summary(await roles.get(name));
      await roles.delete(name);
      return { ...found, name: '' };
    },
  },
  {
    title: 'the answer of a deletion in the foreground',
    run: async (world) => {
      await world.map('owner', [], held);
      const options = { propagationPolicy: 'Foreground' } as const;
      const answer = await world.of('v1/configmaps').delete('owner', options);
      await world.release('owner');
      return answer === undefined ? 'gone' : summary(answer);
    },
  },
];

function ownersOf({ metadata }: { readonly metadata: object }): readonly unknown[] {
  const { ownerReferences = [] } = metadata as { readonly ownerReferences?: readonly unknown[] };
  return ownerReferences;
}

function shownEvent({
  type,
  reason,
  message,
  involvedObject,
  source,
}: Record<string, unknown>): object {
  const { kind, name, apiVersion } = involvedObject as Record<string, unknown>;
  const { component } = source as Record<string, unknown>;
  return { type, reason, message, about: { kind, name, apiVersion }, component };
}
