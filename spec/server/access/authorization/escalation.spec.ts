import { expect } from 'chai';
import { created, grant, grantEverywhere, JANE, outcome, RBAC, USER } from '../support.ts';
import { Answers } from '../../registry/support/answers.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const MANAGE = {
  apiGroups: [GROUP],
  resources: ['roles', 'rolebindings', 'clusterroles'],
  verbs: ['get', 'create', 'update', 'patch'],
};
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const MISSING =
  `user "${JANE}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n` +
  '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}';

describe('the guard of roles and bindings', () => {
  it('keeps users from giving rights that they do not have', async () => {
    await using api = new Answers();
    await grant(api, 'manager', [MANAGE]);
    const role = { metadata: { name: 'x' }, rules: [PODS] };
    const refusal = `403 roles.${GROUP} "x" is forbidden: ${MISSING}`;
    expect(outcome(await api.as(JANE, 'POST', ROLES, role))).to.equal(refusal);
    expect(outcome(await api.as(JANE, 'PUT', `${ROLES}/x`, role))).to.equal(refusal);
    await created(api.post(ROLES, { metadata: { name: 'x' }, rules: [] }));
    expect(outcome(await api.as(JANE, 'PUT', `${ROLES}/x`, role))).to.equal(refusal);
    await grant(api, 'pods', [PODS]);
    expect((await api.as(JANE, 'PUT', `${ROLES}/x`, role)).status).to.equal(200);
  });

  it('keeps them from binding roles of such rights, or missing ones', async () => {
    await using api = new Answers();
    await grant(api, 'manager', [MANAGE]);
    await created(api.post(ROLES, { metadata: { name: 'x' }, rules: [PODS] }));
    const binding = (kind: string, name: string): object => ({
      metadata: { name: 'b' },
      roleRef: { apiGroup: GROUP, kind, name },
      subjects: [USER],
    });
    const bind = async (kind: string, name: string): Promise<string> =>
      outcome(await api.as(JANE, 'POST', BINDINGS, binding(kind, name)));
    expect(await bind('Role', 'x')).to.equal(
      `403 rolebindings.${GROUP} "b" is forbidden: ${MISSING}`,
    );
    expect(await bind('ClusterRole', 'none')).to.equal(
      `404 rolebindings.${GROUP} "none" not found`,
    );
    expect(await bind('ClusterRole', 'cluster-admin')).to.match(/^403 .*Resources:\["\*"\]/s);
  });

  it('allows users with the verbs escalate and bind', async () => {
    await using api = new Answers();
    await grant(api, 'manager', [{ ...MANAGE, verbs: [...MANAGE.verbs, 'escalate', 'bind'] }]);
    const role = { metadata: { name: 'x' }, rules: [PODS] };
    expect((await api.as(JANE, 'POST', ROLES, role)).status).to.equal(201);
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'x' };
    const binding = { metadata: { name: 'b' }, roleRef, subjects: [USER] };
    expect((await api.as(JANE, 'POST', BINDINGS, binding)).status).to.equal(201);
  });

  it('allows aggregation only to users with all rights', async () => {
    await using api = new Answers();
    await grantEverywhere(api, 'manager', [MANAGE]);
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const role = { metadata: { name: 'x' }, rules: [], aggregationRule };
    const refusal = `403 clusterroles.${GROUP} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
    expect(outcome(await api.as(JANE, 'POST', `${RBAC}/clusterroles`, role))).to.equal(refusal);
  });

  it('lets finalizers of any role be changed', async () => {
    await using api = new Answers();
    await grant(api, 'manager', [MANAGE]);
    await created(api.post(ROLES, { metadata: { name: 'x' }, rules: [PODS] }));
    const ask = async (metadata: object): Promise<number> => {
      const type = 'application/merge-patch+json';
      const user = { 'impersonate-user': JANE };
      return (await api.ask('PATCH', `${ROLES}/x`, { metadata }, type, user)).status;
    };
    expect(await ask({ finalizers: ['a.b/c'] })).to.equal(200);
    expect(await ask({ labels: { a: 'b' } })).to.equal(403);
  });
});
