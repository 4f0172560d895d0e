import { expect } from 'chai';
import type { NeededAccess } from '../../../lib/cli/rbac/needed-access.ts';
import { rolesFor, type RoleOptions } from '../../../lib/cli/rbac/needed-roles.ts';

const OPTIONS: RoleOptions = {
  namespace: 'shop',
  named: new Set(['leases.coordination.k8s.io', 'secrets']),
  isNamespaced: ({ resource }) => resource !== 'nodes' && resource !== 'namespaces',
};

/** `verb group/resource namespace/name` */
function used(...lines: readonly string[]): { resources: NeededAccess[]; paths: [] } {
  const resources = lines.map((line) => {
    const [verb = '', kind = '', place = '/'] = line.split(' ');
    const [, group = '', resource = ''] = /^(?:([\w.]+):)?(.*)$/.exec(kind) ?? [];
    const [namespace = '', name = ''] = place.split('/');
    return { group, version: 'v1', resource, verb, namespace, name };
  });
  return { resources, paths: [] };
}

describe('the roles for what was used', () => {
  it('are one for each namespace, and a ClusterRole for what is in none', () => {
    const roles = rolesFor(
      used('get pods shop/a', 'get pods bar/a', 'list nodes', 'get namespaces shop/shop'),
      OPTIONS,
    );
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
    expect(roles).to.deep.equal([
      {
        namespace: undefined,
        rules: [
          { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
          { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
        ],
      },
      { namespace: 'bar', rules: [rule] },
      { namespace: 'shop', rules: [rule] },
    ]);
  });

  it('are a ClusterRole for a program that reads all namespaces, but for its own leases', () => {
    const lease = 'coordination.k8s.io:leases';
    const roles = rolesFor(
      used('watch pods', 'create secrets shop/', `get ${lease} shop/lock`, `create ${lease} shop/`),
      OPTIONS,
    );
    expect(roles.map(({ namespace }) => namespace)).to.deep.equal([undefined, 'shop']);
    expect(roles[1]?.rules).to.deep.equal([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['lock'],
        verbs: ['get'],
      },
    ]);
    const elsewhere = rolesFor(
      used('watch pods', `get ${lease} shop/lock`, `get ${lease} bar/lock`),
      OPTIONS,
    );
    expect(elsewhere.map(({ namespace }) => namespace)).to.deep.equal([undefined]);
  });

  it('have the names of a resource that is named, unless there are more than ten', () => {
    const names = (count: number): readonly unknown[] =>
      rolesFor(
        used(...Array.from({ length: count }, (_, index) => `get secrets shop/s${index}`)),
        OPTIONS,
      ).flatMap(({ rules }) => rules.map(({ resourceNames }) => resourceNames?.length));
    expect(names(10)).to.deep.equal([10]);
    expect(names(11)).to.deep.equal([undefined]);
  });

  it('put resources of a group with the same verbs into one rule, and verbs into their usual order', () => {
    const [role] = rolesFor(
      used(
        'update apps:deployments a/x',
        'get apps:deployments a/x',
        'use apps:deployments a/x',
        'get apps:daemonsets a/x',
        'use apps:daemonsets a/x',
        'update apps:daemonsets a/x',
        'patch apps:daemonsets/status a/x',
      ),
      OPTIONS,
    );
    expect(role?.rules).to.deep.equal([
      {
        apiGroups: ['apps'],
        resources: ['daemonsets', 'deployments'],
        verbs: ['get', 'update', 'use'],
      },
      { apiGroups: ['apps'], resources: ['daemonsets/status'], verbs: ['patch'] },
    ]);
  });
});
