import { expect } from 'chai';
import { missingRule, parseRefusal } from '../../lib/meta/missing-rule.ts';

const NAMESPACED =
  'pods is forbidden: User "dev" cannot list resource "pods" in API group "" in the namespace "shop"';
const CLUSTER =
  'nodes is forbidden: User "dev" cannot list resource "nodes" in API group "" at the cluster scope';

describe('parseRefusal', () => {
  it('finds user, verb, resource, group and namespace', () => {
    expect(parseRefusal(NAMESPACED)).to.deep.equal({
      user: 'dev',
      verb: 'list',
      resource: 'pods',
      group: '',
      namespace: 'shop',
      clusterScope: false,
      addition: undefined,
    });
    expect(parseRefusal(CLUSTER)).to.include({ clusterScope: true, namespace: undefined });
  });

  it('finds a path that is no resource', () => {
    const words = 'forbidden: User "dev" cannot get path "/metrics"';
    expect(parseRefusal(words)).to.include({ verb: 'get', path: '/metrics' });
  });

  it('keeps what the authorizer adds, on one line', () => {
    const words = `${CLUSTER}: RBAC: clusterrole.rbac.authorization.k8s.io "x"\n not found`;
    expect(parseRefusal(words)?.addition).to.equal(
      'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    );
  });

  it('knows no other words', () => {
    expect(parseRefusal('namespaces "default" is forbidden: it may not be deleted')).to.equal(
      undefined,
    );
    expect(parseRefusal('')).to.equal(undefined);
  });
});

describe('missingRule', () => {
  const ruleOf = (words: string, name?: string): string =>
    missingRule(parseRefusal(words)!, ['get'], name);

  it('names the kind of role by the scope', () => {
    expect(ruleOf(NAMESPACED)).to.match(/ to a Role in namespace "shop"$/);
    expect(ruleOf(CLUSTER)).to.match(/ to a ClusterRole$/);
    expect(missingRule({ resource: 'pods', clusterScope: false }, ['get'])).to.match(
      / to a Role or ClusterRole$/,
    );
  });

  it('restricts the rule to a name', () => {
    expect(ruleOf(NAMESPACED, 'web')).to.equal(
      'add {apiGroups: [""], resources: ["pods"], resourceNames: ["web"], verbs: ["get"]} to a Role in namespace "shop"',
    );
  });

  it('lets no control character of a server through', () => {
    const words = NAMESPACED.replaceAll('shop', 'sh\u001B[31mop');
    expect(ruleOf(words))
      .to.include('"shop"')
      .and.not.match(/\p{Cc}/u);
  });
});
