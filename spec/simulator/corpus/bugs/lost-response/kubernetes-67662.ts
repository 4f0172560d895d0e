import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { loopOf, type LoopParts } from '../../support/operator-of.ts';
import { isApiError } from '../../../../../lib/meta/failure/failures.ts';
import { creates } from '../../support/steps.ts';

interface Group extends KubernetesObject {
  readonly spec: { readonly members: number };
}

const GROUP = { apiVersion: 'corpus.example.com/v1', kind: 'Group', plural: 'groups' };
const MEMBER = { ...GROUP, kind: 'Member', plural: 'members' };
const { apiVersion } = GROUP;

/** Makes the members of a group, as a replica set makes its pods. */
function setUp(triesAgain: boolean) {
  return ({ client, informers, queue }: LoopParts): Reconcile => {
    const groups = informers.for<Group>(apiVersion, GROUP.plural);
    const members = informers.for(apiVersion, MEMBER.plural);
    groups.addHandler({ view: 'key', onAdd: ({ key }) => queue.add(key) });
    return async ({ key }) => {
      const { namespace, name } = splitMetaNamespaceKey(key);
      const group = groups.lister.namespace(namespace).get(name);
      if (group === undefined) return;
      const api = client.resource(apiVersion, MEMBER.plural, { namespace });
      for (let number = 0; number < group.spec.members; number += 1) {
        const member = `${name}-${number}`;
        if (members.lister.namespace(namespace).get(member) !== undefined) continue;
        try {
          await api.create({ apiVersion, kind: MEMBER.kind, metadata: { name: member } });
        } catch (error) {
          if (isApiError(error) && error.code === 'ALREADY_EXISTS') continue;
          // Without an answer it may have been made, and a watch would say so.
          if (isApiError(error) || triesAgain) throw error;
        }
      }
    };
  };
}

export const kubernetes67662: KnownBug = {
  name: 'kubernetes-67662',
  upstream: {
    project: 'kubernetes/kubernetes',
    issue: 'https://github.com/kubernetes/kubernetes/issues/67662',
    fix: 'https://github.com/kubernetes/kubernetes/pull/86140',
    summary:
      'When the creation of a pod gets no answer in time, the controller takes it as done and waits for the watch. A pod that was not made is never ' +
      'made. The fix treats it as a failure. Here any missing answer stands for the timeout, and members for pods.',
  },
  pattern: 'lost-response',
  world: { objects: [customResource(GROUP), customResource(MEMBER)] },
  workload: [
    creates(
      GROUP,
      'web',
      { members: 3 },
      (state) => state.list(apiVersion, MEMBER.plural).length === 3,
    ),
  ],
  wrong: [loopOf('group-controller', setUp(false))],
  fixed: [loopOf('group-controller', setUp(true))],
};
