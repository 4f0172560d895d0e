import { expect } from 'chai';
import { Impersonator } from '../../../../lib/server/access/authorization/impersonator.ts';
import { questionOf } from '../../../../lib/server/access/authorization/request-question.ts';
import type { WantedUser } from '../../../../lib/server/access/authentication/impersonation-headers.ts';
import type { AccessQuestion } from '../../../../lib/server/registry/contract/access-parts.ts';
import { adminUser, type UserInfo } from '../../../../lib/server/registry/contract/user-info.ts';

const ADMIN = adminUser('admin');
const AGENT: UserInfo = {
  username: 'system:serviceaccount:a:agent',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
};

/** An impersonator whose users may do what the list says, and the questions that it asked. */
function withRights(...rights: readonly string[]): {
  readonly asked: string[];
  readonly act: (user: UserInfo, wanted: Partial<WantedUser>) => Promise<UserInfo>;
} {
  const asked: string[] = [];
  const impersonator = new Impersonator({
    authorize: (question) => {
      asked.push(shown(question));
      return Promise.resolve({ allowed: rights.includes(shown(question)) });
    },
    rulesOf: () => Promise.reject(new Error('not asked')),
  });
  return {
    asked,
    act: async (user, wanted) =>
      await impersonator.impersonated(questionOf(user, 'GET', '/api/v1/pods'), {
        username: '',
        uid: '',
        groups: [],
        extra: {},
        ...wanted,
      }),
  };
}

function shown({ verb, group, resource, subresource, namespace, name }: AccessQuestion): string {
  const path = [group, resource, subresource].filter((one) => one !== '').join('/');
  return [verb, path, namespace, name].filter((one) => one !== '').join(' ');
}

async function refusal(attempt: Promise<UserInfo>): Promise<string> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  expect(error).to.include({ code: 'FORBIDDEN', httpStatus: 403 });
  return (error as Error).message;
}

describe('acting as another user', () => {
  it('gives an administrator the user with its own group', async () => {
    const rows: readonly (readonly [Partial<WantedUser>, readonly string[]])[] = [
      [{ username: 'x' }, ['system:authenticated']],
      [{ username: 'x', groups: ['a'] }, ['a', 'system:authenticated']],
      [{ username: 'x', groups: ['system:masters'] }, ['system:masters', 'system:authenticated']],
      [{ username: 'x', groups: ['system:unauthenticated'] }, ['system:unauthenticated']],
      [{ username: 'system:anonymous' }, ['system:unauthenticated']],
      [{ username: 'system:node:n1' }, ['system:nodes', 'system:authenticated']],
      [
        { username: 'system:serviceaccount:a:b' },
        ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      ],
    ];
    for (const [wanted, groups] of rows) {
      const { act, asked } = withRights();
      expect((await act(ADMIN, wanted)).groups, wanted.username).to.deep.equal(groups);
      expect(asked).to.deep.equal([]);
    }
  });

  it('is tried first in the way that was allowed last, as kube-apiserver does it', async () => {
    const { act } = withRights();
    const node = { username: 'system:node:n1' };
    expect((await act(ADMIN, node)).groups).to.include('system:nodes');
    await act(ADMIN, { username: 'x', groups: ['system:masters'] });
    expect((await act(ADMIN, node)).groups).to.not.include('system:nodes');
  });

  it('asks others for each part of the user, in the older way', async () => {
    const all = [
      'impersonate users x',
      'impersonate authentication.k8s.io/uids u',
      'impersonate groups a',
      'impersonate authentication.k8s.io/userextras/scopes view',
    ];
    const wanted = { username: 'x', uid: 'u', groups: ['a'], extra: { scopes: ['view'] } };
    expect(await withRights(...all).act(AGENT, wanted)).to.deep.equal({
      ...wanted,
      groups: ['a', 'system:authenticated'],
    });
    for (const right of all) {
      const { act, asked } = withRights(...all.filter((one) => one !== right));
      await refusal(act(AGENT, wanted));
      expect(asked.at(-1)).to.equal(right);
    }
  });

  it('may be limited to a verb of the request', async () => {
    const rights = [
      'impersonate-on:user-info:list pods',
      'impersonate:user-info authentication.k8s.io/users x',
    ];
    const { act } = withRights(...rights);
    expect((await act(AGENT, { username: 'x' })).username).to.equal('x');
    expect(await refusal(withRights().act(AGENT, { username: 'x' }))).to.equal(
      'pods is forbidden: User "system:serviceaccount:a:agent" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    );
  });

  it('gives no system:masters by limited rights', async () => {
    const { act } = withRights(
      'impersonate-on:user-info:list pods',
      'impersonate:user-info authentication.k8s.io/users x',
      'impersonate:user-info authentication.k8s.io/groups *',
      'impersonate:user-info authentication.k8s.io/groups system:masters',
    );
    const groups = ['a', 'b', 'c', 'system:masters'];
    expect(await refusal(act(AGENT, { username: 'x', groups }))).to.include(
      'impersonating the system:masters group is not allowed',
    );
    const allowed = await act(AGENT, { username: 'x', groups: ['a', 'b', 'c', 'd'] });
    expect(allowed.groups).to.have.length(5);
  });

  it('lets an agent act as its own node, and as no other', async () => {
    const { act } = withRights(
      'impersonate-on:associated-node:list pods',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    );
    expect((await act(AGENT, { username: 'system:node:n1' })).groups).to.include('system:nodes');
    await refusal(act(AGENT, { username: 'system:node:n2' }));
  });

  it('refuses extra values whose keys are not of the form of a path', async () => {
    const { act } = withRights(
      'impersonate-on:user-info:list pods',
      'impersonate:user-info authentication.k8s.io/users x',
    );
    const ask = (extra: WantedUser['extra']): Promise<string> =>
      refusal(act(AGENT, { username: 'x', extra }));
    expect(await ask({ scopes: ['a'] })).to.include('must be a domain-prefixed path');
    expect(await ask({ 'Example.com/a': ['a'] })).to.include('lowercase RFC 1123 subdomain');
    expect(await ask({ 'example.com/A': ['a'] })).to.include('a non-lowercase key');
    expect(await ask({ 'example.com/a': [''] })).to.include('the empty string value');
  });
});
