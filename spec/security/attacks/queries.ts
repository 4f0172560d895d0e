import { clerkMayNot, robotMayNot, MAPS, SECRETS, type Attack } from '../attack.ts';

const OWN = 'fieldSelector=metadata.name%3Dmine';
const clerk = (title: string, query: string, says: string, method = 'GET'): Attack => ({
  title,
  as: 'clerk',
  method,
  path: `${SECRETS}?${query}`,
  status: 403,
  says,
});
const robot = (title: string, query: string, verb: string): Attack => ({
  title,
  as: 'robot',
  path: `${MAPS}?${query}`,
  status: 403,
  says: robotMayNot(verb, 'configmaps'),
});
const list = clerkMayNot('list', 'secrets');
const map = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
});
const admin = (
  title: string,
  query: string,
  body: object,
  status: number,
  says: string,
): Attack => ({
  title,
  as: 'admin',
  method: 'POST',
  path: `${MAPS}?${query}`,
  body,
  status,
  says,
});
const noDryRun = 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ';

/** Queries, names and verbs by which a rule for less is stretched; the clerk has rights to the secret `mine` alone. */
export const queries: readonly Attack[] = [
  robot('a watch by `watch=1` with the right to list', 'watch=1', 'watch'),
  robot('a watch by `watch`', 'watch', 'watch'),
  robot('a watch by `watch=`', 'watch=', 'watch'),
  robot('a watch by `watch=no`', 'watch=no', 'watch'),
  robot('a watch by an escaped letter', 'w%61tch=1', 'watch'),
  robot('a watch that a second parameter denies', 'watch=1&watch=0', 'watch'),
  robot('a watch with a limit that is none', 'watch=1&limit=abc', 'watch'),
  clerk('a list without a selector', '', list),
  clerk(
    'a list by the selector of another name',
    'fieldSelector=metadata.name%3Dother',
    clerkMayNot('list', 'secrets', 'other'),
  ),
  clerk('a list by a selector of all other names', 'fieldSelector=metadata.name!%3Dx', list),
  clerk('a list by an empty name', 'fieldSelector=metadata.name%3D', list),
  clerk('a list by the own name, which a semicolon removes', `${OWN};`, list),
  clerk('a list by the own name, which a bad escape removes', `${OWN}%zz`, list),
  clerk('a list by the own name after another selector', `fieldSelector=&${OWN}`, list),
  clerk('a list by the own name with a limit that is none', `${OWN}&limit=abc`, list),
  clerk(
    'a list by the own name with a label selector that is none',
    `${OWN}&labelSelector=!!`,
    list,
  ),
  clerk('a list by the own name in all namespaces', '', 'secrets is forbidden: '),
  clerk('a watch without a selector', 'watch=1', clerkMayNot('watch', 'secrets')),
  clerk(
    'a watch by the selector of another name',
    'watch=1&fieldSelector=metadata.name%3Dother',
    clerkMayNot('watch', 'secrets', 'other'),
  ),
  clerk(
    'the deletion of a collection by the own name',
    OWN,
    clerkMayNot('deletecollection', 'secrets'),
    'DELETE',
  ),
  {
    title: 'the creation of the own name',
    as: 'clerk',
    method: 'POST',
    path: SECRETS,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' } },
    status: 403,
    says: clerkMayNot('create', 'secrets'),
  },
  {
    title: 'an update of the own name with another in the body',
    as: 'clerk',
    method: 'PUT',
    path: `${SECRETS}/mine`,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other' } },
    status: 400,
    says: 'the name of the object (other) does not match the name on the URL (mine)',
  },
  {
    title: 'a patch of the own name to another',
    as: 'clerk',
    method: 'PATCH',
    path: `${SECRETS}/mine`,
    headers: [['Content-Type', 'application/merge-patch+json']],
    body: { metadata: { name: 'other' } },
    status: 400,
    says: 'the name of the object (other) does not match the name on the URL (mine)',
  },
  {
    title: 'an update of the own name with another namespace in the body',
    as: 'clerk',
    method: 'PUT',
    path: `${SECRETS}/mine`,
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'mine', namespace: 'kube-system' },
    },
    status: 400,
    says: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    title: 'an apply that creates, with the right to patch',
    as: 'clerk',
    method: 'PATCH',
    path: `${MAPS}/new?fieldManager=x`,
    headers: [['Content-Type', 'application/apply-patch+yaml']],
    body: map('new'),
    status: 403,
    says: 'configmaps "new" is forbidden: User "system:serviceaccount:default:clerk" cannot create resource "configmaps"',
  },
  admin(
    'another namespace in the body',
    'dryRun=All',
    map('x', { namespace: 'kube-system' }),
    400,
    'the namespace of the provided object does not match',
  ),
  admin('another kind in the body', 'dryRun=All', { ...map('x'), kind: 'Secret' }, 400, ''),
  admin('a dry run and none', 'dryRun=All&dryRun=', map('x'), 422, `${noDryRun}["All",""]`),
  admin('none and a dry run', 'dryRun=&dryRun=All', map('x'), 422, `${noDryRun}["","All"]`),
  admin('a dry run without a value', 'dryRun', map('x'), 422, `${noDryRun}[""]`),
  admin(
    'two field managers, the second too long',
    `dryRun=All&fieldManager=a&fieldManager=${'b'.repeat(200)}`,
    map('x'),
    201,
    '',
  ),
];
