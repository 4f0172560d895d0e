import { clerkMayNot, robotMayNot, MAPS, SECRETS, type Attack } from '../attack.ts';

const POD = '/api/v1/namespaces/default/pods/web';
const ROBOT = 'User "system:serviceaccount:default:robot"';
const early = 'kube-apiserver looks for the object or path first: ';

const robot = (title: string, path: string, says: string): Attack => ({
  title,
  as: 'robot',
  path,
  status: 403,
  says,
});
const notAPath = (title: string, path: string): Attack =>
  robot(title, path, `forbidden: ${ROBOT} cannot get path "${path}"`);
const secrets = robotMayNot('list', 'secrets');

/** Other spellings of paths, which must not be less than the path itself. */
export const paths: readonly Attack[] = [
  robot('a resource whose letters are escaped', '/%61pi/v1/namespaces/default/%73ecrets', secrets),
  robot('a slash that is escaped', '/api/v1/namespaces/default%2fsecrets', secrets),
  robot('slashes at the end', `${SECRETS}//`, secrets),
  robot('slashes at the beginning', `/${SECRETS}`, secrets),
  robot('an empty namespace', '/api/v1/namespaces//secrets', 'secrets is forbidden: '),
  robot(
    'two dots after an allowed resource',
    `${MAPS}/../secrets`,
    'configmaps ".." is forbidden: ',
  ),
  robot(
    'two escaped dots after an allowed resource',
    `${MAPS}/%2e%2e/secrets`,
    'configmaps ".." is forbidden: ',
  ),
  robot('two dots and a semicolon', `${MAPS}/..;/secrets`, 'configmaps "..;" is forbidden: '),
  robot(
    'a semicolon in a path',
    '/api/v1/namespaces/default/configmaps;/../secrets',
    'configmaps; ".." is forbidden: ',
  ),
  notAPath('two dots before a resource', '/version/../api/v1/namespaces/default/secrets'),
  notAPath('one dot before a resource', '/./api/v1/namespaces/default/secrets'),
  notAPath('two dots after a public path', '/healthz/../metrics'),
  notAPath('two slashes before a path', '//metrics'),
  notAPath('a semicolon after a path', '/metrics;/healthz'),
  notAPath('upper case of a root', '/API/v1/namespaces/default/secrets'),
  robot('upper case of a resource', '/api/v1/namespaces/default/Secrets', 'Secrets is forbidden: '),
  robot(
    'a query that is escaped',
    '/api/v1/namespaces/default/configmaps%3fwatch=1',
    'configmaps?watch=1 is forbidden: ',
  ),
  robot('a fragment', `${SECRETS}#x`, 'secrets#x is forbidden: '),
  robot('a NUL after a resource', `${MAPS}%00`, 'configmaps\0 is forbidden: '),
  {
    title: 'a NUL in a name',
    as: 'robot',
    path: `${MAPS}/a%00b`,
    status: 400,
    ownAnswer: `${early}404`,
  },
  {
    title: 'an escape that is escaped again',
    as: 'robot',
    path: `${MAPS}/%252e%252e`,
    status: 400,
  },
  { title: 'an escape that is none', as: 'robot', path: `${MAPS}/%zz`, status: 400 },
  {
    title: 'an overlong escape of a dot',
    as: 'robot',
    path: `${MAPS}/%c0%ae`,
    status: 400,
    ownAnswer: `${early}404`,
  },
  {
    title: 'two dots as a namespace, by an administrator',
    as: 'admin',
    path: '/api/v1/namespaces/../secrets',
    status: 404,
    ownAnswer: 'kube-apiserver fails at its storage: 500',
  },
  {
    title: 'two dots as a name, by an administrator',
    as: 'admin',
    path: `${SECRETS}/..`,
    status: 400,
  },
  robot(
    'the older path of a watch',
    '/api/v1/watch/namespaces/default/secrets',
    robotMayNot('watch', 'secrets'),
  ),
  robot(
    'the older path of a watch, of what may be listed',
    '/api/v1/watch/namespaces/default/configmaps',
    robotMayNot('watch', 'configmaps'),
  ),
  robot(
    'the older path of a proxy',
    '/api/v1/proxy/namespaces/default/configmaps',
    robotMayNot('proxy', 'configmaps'),
  ),
  robot(
    'a namespace with the name of a subresource',
    '/api/v1/namespaces/status/secrets',
    'secrets is forbidden: ',
  ),
  robot(
    'another group of the same resource',
    '/apis/core/v1/namespaces/default/configmaps',
    'configmaps.core is forbidden: ',
  ),
  {
    title: 'a subresource of what may be read',
    as: 'clerk',
    path: `${POD}/log`,
    status: 403,
    says: 'pods "web" is forbidden: User "system:serviceaccount:default:clerk" cannot get resource "pods/log"',
  },
  {
    title: 'a subresource whose slash is escaped',
    as: 'clerk',
    path: `${POD}%2flog`,
    status: 403,
    says: 'pods "web" is forbidden: User "system:serviceaccount:default:clerk" cannot get resource "pods/log"',
  },
  {
    title: 'a subresource whose letters are escaped',
    as: 'clerk',
    path: `${POD}/%6cog`,
    status: 403,
    says: 'pods "web" is forbidden: User "system:serviceaccount:default:clerk" cannot get resource "pods/log"',
  },
  {
    title: 'a subresource after an empty segment',
    as: 'clerk',
    path: `${POD}//log`,
    status: 404,
  },
  {
    title: 'a subresource in upper case',
    as: 'clerk',
    path: `${POD}/LOG`,
    status: 403,
    says: 'pods "web" is forbidden: ',
  },
  {
    title: 'a collection of what may be read by name',
    as: 'clerk',
    path: SECRETS,
    status: 403,
    says: clerkMayNot('list', 'secrets'),
  },
];
