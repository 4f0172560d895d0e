import { MAPS, ROBOT, SECRETS, type Attack } from '../attack.ts';

const may = (resource: string, name: string, group: string = ''): string =>
  `${resource}${group === '' ? '' : `.${group}`} "${name}" is forbidden: User "${ROBOT}" cannot impersonate resource "${resource}" in API group "${group}" at the cluster scope`;

const mayNotAct = (user: string): string =>
  `secrets is forbidden: User "${user}" cannot impersonate-on:user-info:list resource "secrets" in API group "" in the namespace "default"`;

/** The robot may act as the user `helper`, and the helper as the user `boss`, who reads secrets. */
export const impersonation: readonly Attack[] = [
  {
    title: 'acting as a user without the right to it',
    as: 'robot',
    headers: [['Impersonate-User', 'boss']],
    path: SECRETS,
    status: 403,
    says: mayNotAct(ROBOT),
  },
  {
    title: 'acting as a user without credentials',
    as: 'none',
    headers: [['Impersonate-User', 'boss']],
    path: SECRETS,
    status: 403,
    says: mayNotAct('system:anonymous'),
  },
  {
    title: 'acting as a user on a public path',
    as: 'robot',
    headers: [['Impersonate-User', 'boss']],
    path: '/version',
    status: 403,
    says: `forbidden: User "${ROBOT}" cannot impersonate-on:user-info:get path "/version"`,
  },
  {
    title: 'acting as a user who may act as another: the rights of the first alone count',
    as: 'robot',
    headers: [['Impersonate-User', 'helper']],
    path: SECRETS,
    status: 403,
    says: 'secrets is forbidden: User "helper" cannot list resource "secrets" in API group "" in the namespace "default"',
  },
  {
    title: 'acting as two users in a chain',
    as: 'robot',
    headers: [
      ['Impersonate-User', 'helper'],
      ['Impersonate-User', 'boss'],
    ],
    path: SECRETS,
    status: 403,
    says: 'secrets is forbidden: User "helper" cannot list resource "secrets" in API group "" in the namespace "default"',
  },
  {
    title: 'acting as two users in a chain, the forbidden one first',
    as: 'robot',
    headers: [
      ['Impersonate-User', 'boss'],
      ['Impersonate-User', 'helper'],
    ],
    path: SECRETS,
    status: 403,
    says: may('users', 'boss'),
  },
  {
    title: 'acting as an allowed user in the group of administrators',
    as: 'robot',
    headers: [
      ['Impersonate-User', 'helper'],
      ['Impersonate-Group', 'system:masters'],
    ],
    path: SECRETS,
    status: 403,
    says: may('groups', 'system:masters'),
  },
  {
    title: 'a group without a user',
    as: 'robot',
    headers: [['Impersonate-Group', 'system:masters']],
    path: MAPS,
    status: 400,
    says: 'requested &user.DefaultInfo{',
  },
  {
    title: 'an allowed user with the uid of another',
    as: 'robot',
    headers: [
      ['Impersonate-User', 'helper'],
      ['Impersonate-Uid', '1'],
    ],
    path: MAPS,
    status: 403,
    says: may('uids', '1', 'authentication.k8s.io'),
  },
  {
    title: 'an allowed user with scopes',
    as: 'robot',
    headers: [
      ['Impersonate-User', 'helper'],
      ['Impersonate-Extra-Scopes', 'all'],
    ],
    path: MAPS,
    status: 403,
    says: `userextras.authentication.k8s.io "all" is forbidden: User "${ROBOT}" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope`,
  },
  {
    title: 'acting as a service account without the right to it',
    as: 'robot',
    headers: [['Impersonate-User', 'system:serviceaccount:default:manager']],
    path: MAPS,
    status: 403,
    says: `serviceaccounts "manager" is forbidden: User "${ROBOT}" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"`,
  },
  {
    title: 'acting as another with a wrong token',
    as: 'changed signature',
    headers: [['Impersonate-User', 'helper']],
    path: MAPS,
    status: 401,
    says: 'Unauthorized',
  },
  {
    title: 'a header that only looks like impersonation',
    as: 'robot',
    headers: [['Impersonate_User', 'boss']],
    path: SECRETS,
    status: 403,
    says: `secrets is forbidden: User "${ROBOT}"`,
  },
];
