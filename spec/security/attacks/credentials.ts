import { anonymousMayNot, MAPS, robotMayNot, SECRETS, type Attack } from '../attack.ts';

const noUser = { status: 401, says: 'Unauthorized' } as const;
const anonymous = { status: 403, says: anonymousMayNot('list', 'secrets') } as const;

/** Missing, wrong, ended and borrowed credentials. */
export const credentials: readonly Attack[] = [
  { title: 'no credentials', as: 'none', path: SECRETS, ...anonymous },
  {
    title: 'a token of no user',
    as: 'none',
    headers: [['Authorization', 'Bearer not-a-token-of-this-server']],
    path: SECRETS,
    ...noUser,
  },
  {
    title: 'a token of no user, on a public path',
    as: 'none',
    headers: [['Authorization', 'Bearer not-a-token-of-this-server']],
    path: '/version',
    ...noUser,
  },
  {
    title: 'an empty bearer token',
    as: 'none',
    headers: [['Authorization', 'Bearer ']],
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'a name and a password',
    as: 'none',
    headers: [['Authorization', 'Basic YWRtaW46YWRtaW4=']],
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'the token of the administrator by another scheme',
    as: 'none',
    headers: [['Authorization', 'Token {admin}']],
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'the token of the administrator in the query',
    as: 'none',
    path: `${SECRETS}?access_token={admin}`,
    ...anonymous,
  },
  {
    title: 'the token of the administrator as a cookie',
    as: 'none',
    headers: [['Cookie', 'token={admin}; authorization=Bearer {admin}']],
    path: SECRETS,
    ...anonymous,
  },
  { title: 'a token with another signature', as: 'changed signature', path: MAPS, ...noUser },
  { title: 'a token without an algorithm', as: 'without algorithm', path: MAPS, ...noUser },
  { title: 'a token for another audience', as: 'other audience', path: MAPS, ...noUser },
  { title: 'the token of an account that is gone', as: 'deleted account', path: MAPS, ...noUser },
  { title: 'a token whose secret is gone', as: 'deleted secret', path: MAPS, ...noUser },
  {
    title: 'a token of another account, for what that may not do',
    as: 'robot',
    path: SECRETS,
    status: 403,
    says: robotMayNot('list', 'secrets'),
  },
  {
    title: 'a token of another account, for its namespace alone',
    as: 'robot',
    path: '/api/v1/configmaps',
    status: 403,
    says: 'configmaps is forbidden: User "system:serviceaccount:default:robot" cannot list resource "configmaps" in API group "" at the cluster scope',
  },
];
