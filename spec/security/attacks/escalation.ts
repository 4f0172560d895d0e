import { MANAGER, ROBOT, type Attack } from '../attack.ts';

const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const LOCAL = `${RBAC}/namespaces/default`;
const CERTIFICATES = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
/** Of the organisation system:masters. */
const MASTERS_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0pBZ0VBTUNjeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVF3d0NnWURWUVFEREFObApkbVV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJ6MWVBY0tLNVQ1OGU0Q3BKUll2SlFNVDVECnRCRTJCeERWQ3VDOFAwdXc3TzNZR29RdXJnTTBqZTlIMlFxSlFvMm1lN2Rsa2l1bTk0SVlIc0dwWFhZVG9BQXcKQ2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnV2VtSTc1ZTNpbUdNWWhHM2Vpd1dQUzNFM0FTS0tjVG85WTFzUGZYUQpqeGdDSUI3a2pkcjBZWXRGK0plWjZzeEliMDk4aWhXRDBKSkxqT3VyMEZ3SU1wdkMKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
const MERGE = [['Content-Type', 'application/merge-patch+json']] as const;

const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const apiVersion = `${GROUP}/v1`;
const role = (kind: string, name: string, rules: readonly object[], more: object = {}): object => ({
  apiVersion,
  kind,
  metadata: { name },
  rules,
  ...more,
});
const binding = (kind: string, to: string): object => ({
  apiVersion,
  kind,
  metadata: { name: 'attack' },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: to },
  subjects: [{ kind: 'ServiceAccount', name: 'manager', namespace: 'default' }],
});
const beyond = (resource: string, name: string): string =>
  `${resource}.${GROUP} "${name}" is forbidden: user "${MANAGER}" (groups=["system:serviceaccounts" "system:serviceaccounts:default" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:`;

/** The manager may write roles, bindings and certificate requests, and read config maps; the robot may read config maps. */
export const escalation: readonly Attack[] = [
  {
    title: 'a role with more rights',
    as: 'manager',
    method: 'POST',
    path: `${LOCAL}/roles`,
    body: role('Role', 'attack', [secrets]),
    status: 403,
    says: beyond('roles', 'attack'),
  },
  {
    title: 'a role with more rights, as a dry run',
    as: 'manager',
    method: 'POST',
    path: `${LOCAL}/roles?dryRun=All`,
    body: role('Role', 'attack', [secrets]),
    status: 403,
    says: beyond('roles', 'attack'),
  },
  {
    title: 'more rights for an own role',
    as: 'manager',
    method: 'PATCH',
    path: `${LOCAL}/roles/reader`,
    headers: MERGE,
    body: { rules: [secrets] },
    status: 403,
    says: beyond('roles', 'reader'),
  },
  {
    title: 'more rights for an own role by an apply that creates or forces',
    as: 'manager',
    method: 'PATCH',
    path: `${LOCAL}/roles/reader?fieldManager=x&force=true`,
    headers: [['Content-Type', 'application/apply-patch+yaml']],
    body: role('Role', 'reader', [secrets]),
    status: 403,
    says: beyond('roles', 'reader'),
  },
  {
    title: 'a role with the verb escalate',
    as: 'manager',
    method: 'POST',
    path: `${LOCAL}/roles`,
    body: role('Role', 'attack', [
      { apiGroups: [GROUP], resources: ['roles'], verbs: ['escalate'] },
    ]),
    status: 403,
    says: beyond('roles', 'attack'),
  },
  {
    title: 'a role with the verb bind',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: role('ClusterRole', 'attack', [
      { apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['bind'] },
    ]),
    status: 403,
    says: beyond('clusterroles', 'attack'),
  },
  {
    title: 'a role with the verb impersonate',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: role('ClusterRole', 'attack', [
      { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] },
    ]),
    status: 403,
    says: beyond('clusterroles', 'attack'),
  },
  {
    title: 'a role for all paths that are no resources',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: role('ClusterRole', 'attack', [{ nonResourceURLs: ['*'], verbs: ['*'] }]),
    status: 403,
    says: beyond('clusterroles', 'attack'),
  },
  {
    title: 'a role that gathers the rights of all others',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: role('ClusterRole', 'attack', [], {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: {} }] },
    }),
    status: 403,
    says: `clusterroles.${GROUP} "attack" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  },
  {
    title: 'a role with more rights that the role edit gathers',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: {
      ...role('ClusterRole', 'attack', [secrets]),
      metadata: {
        name: 'attack',
        labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
      },
    },
    status: 403,
    says: beyond('clusterroles', 'attack'),
  },
  {
    title: 'a binding to cluster-admin in a namespace',
    as: 'manager',
    method: 'POST',
    path: `${LOCAL}/rolebindings`,
    body: binding('RoleBinding', 'cluster-admin'),
    status: 403,
    says: beyond('rolebindings', 'attack'),
  },
  {
    title: 'a binding to cluster-admin',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterrolebindings`,
    body: binding('ClusterRoleBinding', 'cluster-admin'),
    status: 403,
    says: beyond('clusterrolebindings', 'attack'),
  },
  {
    title: 'a binding to a role that does not exist yet',
    as: 'manager',
    method: 'POST',
    path: `${RBAC}/clusterrolebindings`,
    body: binding('ClusterRoleBinding', 'later'),
    status: 404,
    says: `clusterrolebindings.${GROUP} "later" not found`,
  },
  {
    title: 'another role in an own binding',
    as: 'manager',
    method: 'PATCH',
    path: `${LOCAL}/rolebindings/reader`,
    headers: MERGE,
    body: { roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'cluster-admin' } },
    status: 403,
    says: beyond('rolebindings', 'reader'),
  },
  {
    title: 'a token of another account',
    as: 'robot',
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/manager/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    status: 403,
    says: `serviceaccounts "manager" is forbidden: User "${ROBOT}" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"`,
  },
  {
    title: 'a token of the own account for longer',
    as: 'robot',
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/robot/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    status: 403,
    says: 'serviceaccounts "robot" is forbidden',
  },
  {
    title: 'a secret that gets the token of another account',
    as: 'robot',
    method: 'POST',
    path: '/api/v1/namespaces/default/secrets',
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: {
        name: 'attack',
        annotations: { 'kubernetes.io/service-account.name': 'manager' },
      },
    },
    status: 403,
    says: 'secrets is forbidden',
  },
  {
    title: 'a certificate request for the group of administrators',
    as: 'manager',
    method: 'POST',
    path: CERTIFICATES,
    body: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'attack' },
      spec: {
        request: MASTERS_REQUEST,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    },
    status: 403,
    says: 'certificatesigningrequests.certificates.k8s.io "attack" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  },
  {
    title: 'the approval of a certificate request without the right to its signer',
    as: 'manager',
    method: 'PATCH',
    path: `${CERTIFICATES}/waiting/approval`,
    headers: MERGE,
    body: {
      status: {
        conditions: [{ type: 'Approved', status: 'True', reason: 'Attack', message: 'mine' }],
      },
    },
    status: 403,
    says: 'certificatesigningrequests.certificates.k8s.io "waiting" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
  },
  {
    title: 'a certificate written into a request without the right to its signer',
    as: 'manager',
    method: 'PATCH',
    path: `${CERTIFICATES}/waiting/status`,
    headers: MERGE,
    body: { status: { certificate: 'bm8=' } },
    status: 403,
    ownAnswer: 'kube-apiserver checks the certificate first: 422',
    says: 'certificatesigningrequests.certificates.k8s.io "waiting" is forbidden: user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"',
  },
  {
    title: 'a question about the rights of another',
    as: 'robot',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: {} },
    status: 403,
    says: `subjectaccessreviews.authorization.k8s.io is forbidden: User "${ROBOT}"`,
  },
  {
    title: 'a question whose token it is',
    as: 'robot',
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'x' } },
    status: 403,
    says: `tokenreviews.authentication.k8s.io is forbidden: User "${ROBOT}"`,
  },
];
