import { expect } from 'chai';
import { created, grant, grantEverywhere, JANE, mapOf, MAPS, outcome, RBAC } from '../support.ts';
import { Answers } from '../../registry/support/answers.ts';

const READ = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const POD = { containers: [{ name: 'main', image: 'busybox' }] };
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

describe('the authorizer by roles', () => {
  it('refuses what no role allows, in the words of kube-apiserver', async () => {
    await using api = new Answers();
    const who = `User "${JANE}" cannot`;
    const rows: readonly (readonly [method: string, path: string, message: string])[] = [
      [
        'GET',
        MAPS,
        `configmaps is forbidden: ${who} list resource "configmaps" in API group "" in the namespace "default"`,
      ],
      [
        'GET',
        `${MAPS}/x`,
        `configmaps "x" is forbidden: ${who} get resource "configmaps" in API group "" in the namespace "default"`,
      ],
      [
        'GET',
        '/api/v1/nodes',
        `nodes is forbidden: ${who} list resource "nodes" in API group "" at the cluster scope`,
      ],
      [
        'PATCH',
        '/apis/apps/v1/namespaces/a/deployments/x/scale',
        `deployments.apps "x" is forbidden: ${who} patch resource "deployments/scale" in API group "apps" in the namespace "a"`,
      ],
      [
        'GET',
        '/apis/no.such/v1/things',
        `things.no.such is forbidden: ${who} list resource "things" in API group "no.such" at the cluster scope`,
      ],
      ['GET', '/metrics', `forbidden: ${who} get path "/metrics"`],
      ['GET', '/a<b>&', `forbidden: ${who} get path "/a&lt;b&gt;&amp;"`],
    ];
    for (const [method, path, message] of rows) {
      expect(outcome(await api.as(JANE, method, path)), path).to.equal(`403 ${message}`);
    }
    const { body } = await api.as(JANE, 'GET', '/apis/no.such/v1/things/x');
    expect(body['details']).to.deep.equal({ name: 'x', group: 'no.such', kind: 'things' });
  });

  it('allows discovery, and reviews of their own rights, to all users', async () => {
    await using api = new Answers();
    for (const path of ['/api', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz']) {
      expect((await api.as(JANE, 'GET', path)).status, path).to.equal(200);
    }
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const { body } = await api.as(JANE, 'POST', path, { spec });
    expect(body['status']).to.deep.equal({ allowed: false });
  });

  it('follows roles and bindings as soon as they are written', async () => {
    await using api = new Answers();
    const status = async (): Promise<number> => (await api.as(JANE, 'GET', MAPS)).status;
    expect(await status()).to.equal(403);
    await grant(api, 'reader', [READ]);
    expect(await status()).to.equal(200);
    const role = `${RBAC}/namespaces/default/roles/reader`;
    await api.merge(role, { rules: [{ ...READ, verbs: ['get'] }] });
    expect(await status()).to.equal(403);
    await api.merge(role, { rules: [{ ...READ, verbs: ['*'] }] });
    expect(await status()).to.equal(200);
    await api.ask('DELETE', `${RBAC}/namespaces/default/rolebindings/reader`);
    expect(await status()).to.equal(403);
    const snapshot = await api.server.snapshot();
    await grantEverywhere(api, 'all', [READ]);
    expect(await status()).to.equal(200);
    await api.server.restore(snapshot);
    expect(await status()).to.equal(403);
  });

  it('counts names of rules, also for lists of one object', async () => {
    await using api = new Answers();
    const watch = { ...READ, verbs: ['get', 'list', 'update'], resourceNames: ['one'] };
    await grant(api, 'one', [watch]);
    await created(api.post(MAPS, mapOf('one')));
    const rows: readonly (readonly [path: string, status: number])[] = [
      [`${MAPS}/one`, 200],
      [`${MAPS}/two`, 403],
      [MAPS, 403],
      [`${MAPS}?fieldSelector=metadata.name%3Done`, 200],
      [`${MAPS}?fieldSelector=metadata.name%3Dtwo`, 403],
      [`${MAPS}?fieldSelector=metadata.name%3Done&watch=1`, 403],
    ];
    for (const [path, status] of rows) {
      expect((await api.as(JANE, 'GET', path)).status, path).to.equal(status);
    }
  });

  it('knows users, groups and service accounts, those without a namespace too', async () => {
    await using api = new Answers();
    await grant(
      api,
      'accounts',
      [READ],
      [
        { kind: 'ServiceAccount', name: 'robot' },
        { kind: 'ServiceAccount', name: 'other', namespace: 'a' },
        { kind: 'Group', name: 'system:serviceaccounts:b' },
      ],
    );
    const of = (account: string): string => `system:serviceaccount:${account}`;
    for (const account of ['default:robot', 'a:other', 'b:any']) {
      expect((await api.as(of(account), 'GET', MAPS)).status, account).to.equal(200);
    }
    for (const account of ['a:robot', 'default:other', 'a:any']) {
      expect((await api.as(of(account), 'GET', MAPS)).status, account).to.equal(403);
    }
  });

  it('needs the right to create where an update creates', async () => {
    await using api = new Answers();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] };
    await grant(api, 'leases', [rule]);
    const body = { metadata: { name: 'x' }, spec: {} };
    expect(outcome(await api.as(JANE, 'PUT', `${leases}/x`, body))).to.equal(
      `403 leases.coordination.k8s.io "x" is forbidden: User "${JANE}" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"`,
    );
    await grant(api, 'more', [{ ...rule, verbs: ['create'] }]);
    expect((await api.as(JANE, 'PUT', `${leases}/x`, body)).status).to.equal(201);
  });

  it('needs more than the right to get for a stream, and to delete what cannot be read', async () => {
    await using api = new Answers({ unsafeObjectDeletion: true });
    const pods = '/api/v1/namespaces/default/pods';
    await created(api.post(pods, { metadata: { name: 'p' }, spec: POD }));
    await grant(api, 'pods', [
      { apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['get', 'delete'] },
    ]);
    const exec = `${pods}/p/exec?command=ls`;
    expect(outcome(await api.as(JANE, 'GET', exec))).to.equal('403 pods "p" is forbidden: ');
    const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect(outcome(await api.as(JANE, 'DELETE', `${pods}/p`, unsafe))).to.equal(
      '403 pods "p" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: ',
    );
    await grant(api, 'more', [
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['unsafe-delete-ignore-read-errors'] },
    ]);
    expect((await api.as(JANE, 'GET', exec)).status).to.equal(400);
    expect((await api.as(JANE, 'DELETE', `${pods}/p`, unsafe)).status).to.equal(422);
  });

  it('says which binding allows, and which role is missing', async () => {
    await using api = new Answers();
    await grant(api, 'reader', [READ]);
    const ask = async (verb: string): Promise<unknown> => {
      const resourceAttributes = { verb, resource: 'configmaps', namespace: 'default' };
      const spec = { user: JANE, resourceAttributes };
      return (await api.post(REVIEWS, { spec })).body['status'];
    };
    expect(await ask('get')).to.deep.equal({
      allowed: true,
      reason: `RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "${JANE}"`,
    });
    await api.ask('DELETE', `${RBAC}/namespaces/default/roles/reader`);
    const reason = 'RBAC: role.rbac.authorization.k8s.io "reader" not found';
    expect(await ask('get')).to.deep.equal({ allowed: false, reason });
    expect(outcome(await api.as(JANE, 'GET', MAPS))).to.match(
      / in the namespace "default": RBAC: role/,
    );
  });

  it('lists the rules of a user, and the roles that are missing', async () => {
    await using api = new Answers();
    await grant(api, 'reader', [{ ...READ, resourceNames: ['one'] }]);
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const ask = async (): Promise<Record<string, unknown>> => {
      const { body } = await api.as(JANE, 'POST', path, { spec: { namespace: 'default' } });
      return body['status'] as Record<string, unknown>;
    };
    const { resourceRules, incomplete } = await ask();
    expect(resourceRules).to.deep.include({ ...READ, resourceNames: ['one'] });
    expect(incomplete).to.equal(false);
    await api.ask('DELETE', `${RBAC}/namespaces/default/roles/reader`);
    expect((await ask())['evaluationError']).to.equal(
      'role.rbac.authorization.k8s.io "reader" not found',
    );
  });

  it('refuses an unknown mode', () => {
    const authorization = 'abac' as 'rbac';
    expect(() => new Answers({ authorization })).to.throw(
      /option "authorization" must be 'rbac' or /,
    );
  });
});
