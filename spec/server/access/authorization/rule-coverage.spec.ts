import { expect } from 'chai';
import {
  rulesIn,
  type PolicyRule,
} from '../../../../lib/server/access/authorization/policy-rule.ts';
import { missingRules } from '../../../../lib/server/access/authorization/escalation.ts';

const rules = (...all: readonly Partial<PolicyRule>[]): readonly PolicyRule[] =>
  rulesIn({ rules: all });
const PODS = { apiGroups: [''], resources: ['pods'] };

describe('missingRules', () => {
  it('finds nothing that is owned in another form', () => {
    const wanted = rules({ ...PODS, verbs: ['get', 'list'], resourceNames: ['a'] });
    for (const owned of [
      rules({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }),
      rules({ ...PODS, verbs: ['get'] }, { ...PODS, verbs: ['list'], resourceNames: ['b', 'a'] }),
    ]) {
      expect(missingRules(owned, wanted)).to.deep.equal([]);
    }
    const log = rules({ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] });
    const anyLog = rules({ apiGroups: [''], resources: ['*/log'], verbs: ['get'] });
    expect(missingRules(anyLog, log)).to.deep.equal([]);
    expect(missingRules(log, anyLog)).to.have.length(1);
    const paths = rules({ nonResourceURLs: ['/a/*'], verbs: ['get'] });
    expect(
      missingRules(paths, rules({ nonResourceURLs: ['/a/b', '/a/*'], verbs: ['get'] })),
    ).to.deep.equal([]);
  });

  it('names what is missing, by resource, in the form of kube-apiserver', () => {
    const owned = rules({ ...PODS, verbs: ['get'], resourceNames: ['a'] });
    const wanted = rules(
      { apiGroups: ['', 'apps'], resources: ['pods', 'x'], verbs: ['get', 'list'] },
      { ...PODS, verbs: ['get'], resourceNames: ['a', 'b'] },
      { nonResourceURLs: ['/a', '/b'], verbs: ['get'] },
    );
    expect(missingRules(owned, wanted)).to.deep.equal([
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["x"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["x"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/a"], Verbs:["get"]}',
      '{NonResourceURLs:["/b"], Verbs:["get"]}',
    ]);
  });

  it('compares a role of too many permissions as a whole, and refuses it to others', () => {
    const many = Array.from({ length: 400 }, (_, index) => `x${index}`);
    const wanted = rules({ apiGroups: many, resources: many, verbs: many });
    expect(missingRules(rules({ ...PODS, verbs: ['get'] }), wanted)).to.have.length(1);
    const all = rules({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    expect(missingRules(all, wanted)).to.deep.equal([]);
  });
});
