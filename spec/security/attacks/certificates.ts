import { MAPS, SECRETS, type Attack } from '../attack.ts';

const refused = { as: 'none', path: SECRETS, status: 401, says: 'Unauthorized' } as const;
const helper = {
  as: 'none',
  path: SECRETS,
  status: 403,
  says: 'secrets is forbidden: User "helper" cannot list resource "secrets"',
} as const;

/** Certificates of clients; the ones that are not accepted are of `system:admin` in the group of administrators. */
export const certificates: readonly Attack[] = [
  { title: 'a certificate of a user, for what that may not do', certificate: 'helper', ...helper },
  { title: 'a certificate of another authority', certificate: 'of another authority', ...refused },
  { title: 'a certificate that signs itself', certificate: 'self-signed', ...refused },
  {
    title: 'a certificate that signs itself, with the authority after it',
    certificate: 'self-signed, with the authority',
    ...refused,
  },
  { title: 'an expired certificate', certificate: 'expired', ...refused },
  { title: 'a certificate that is not valid yet', certificate: 'not yet valid', ...refused },
  { title: 'a certificate for servers', certificate: 'for servers', ...refused },
  {
    title: 'a certificate with a critical extension that is unknown',
    certificate: 'with an unknown critical extension',
    ...refused,
  },
  { title: 'a certificate signed over SHA-1', certificate: 'with a weak signature', ...refused },
  {
    title: 'a certificate that another certificate of a user has signed',
    certificate: 'signed by a leaf',
    ...refused,
  },
  {
    title: 'a certificate through an expired intermediate',
    certificate: 'through an expired intermediate',
    ...refused,
  },
  {
    title: 'a certificate through an intermediate for servers',
    certificate: 'through an intermediate for servers',
    ...refused,
  },
  {
    title: 'a certificate through an intermediate that is no authority',
    certificate: 'through an intermediate that is no authority',
    ...refused,
  },
  {
    title: 'a certificate through an authority that may sign leaves only',
    certificate: 'through an intermediate beyond the path',
    ...refused,
  },
  {
    title: 'a certificate for a name that its intermediate may not sign',
    certificate: 'beyond the names of its intermediate',
    ...refused,
  },
  {
    title: 'a valid certificate through an intermediate that the client sends',
    certificate: 'through an intermediate',
    ...refused,
    ownAnswer: 'kube-apiserver accepts it: 403 for `helper`',
  },
  { title: 'a certificate without a name', certificate: 'without a name', ...refused },
  { title: 'a certificate with an empty name', certificate: 'with an empty name', ...refused },
  { title: 'a certificate with two user ids', certificate: 'with two user ids', ...refused },
  {
    title: 'a certificate with two names: the last counts',
    certificate: 'with two names',
    ...helper,
  },
  {
    title: 'a certificate with the name of another user before a NUL',
    certificate: 'with a NUL',
    ...helper,
    says: 'secrets is forbidden: User "boss\\',
  },
  {
    title: 'a certificate of one user, and after it one of another',
    certificate: 'with one of another user',
    ...helper,
  },
  {
    title: 'a certificate of the anonymous user',
    certificate: 'of the anonymous user',
    ...helper,
    path: '/api',
    says: 'forbidden: User "system:anonymous" cannot get path "/api"',
  },
  {
    title: 'a certificate with the name of a service account, for what its groups may',
    certificate: 'of the robot',
    ...helper,
    path: '/.well-known/openid-configuration',
    says: 'forbidden: User "system:serviceaccount:default:robot" cannot get path',
  },
  { title: 'a certificate without usages', certificate: 'without usages', ...helper },
  { title: 'a certificate for every usage', certificate: 'for every usage', ...helper },
  {
    title: 'a certificate with the token of the administrator: the certificate counts',
    certificate: 'helper',
    ...helper,
    as: 'admin',
  },
  {
    title: 'a certificate with a wrong token: the certificate counts',
    certificate: 'helper',
    ...helper,
    headers: [['Authorization', 'Bearer not-a-token-of-this-server']],
  },
  {
    title: 'an expired certificate with a wrong token',
    certificate: 'expired',
    ...refused,
    headers: [['Authorization', 'Bearer not-a-token-of-this-server']],
  },
  {
    title: 'an expired certificate with a valid token: the token counts',
    certificate: 'expired',
    ...helper,
    as: 'robot',
    says: 'secrets is forbidden: User "system:serviceaccount:default:robot"',
  },
  {
    title: 'an expired certificate on a public path',
    certificate: 'expired',
    ...refused,
    path: '/version',
  },
  {
    title: 'a certificate of a user by HTTP/2, for what that may not do',
    certificate: 'helper',
    protocol: 'h2',
    ...helper,
  },
  { title: 'an expired certificate by HTTP/2', certificate: 'expired', protocol: 'h2', ...refused },
  {
    title: 'a certificate of an administrator who acts as a user',
    certificate: 'master',
    ...helper,
    headers: [['Impersonate-User', 'helper']],
  },
  {
    title: 'the port without TLS',
    as: 'none',
    protocol: 'plain',
    path: MAPS,
    status: 403,
    says: 'configmaps is forbidden: User "system:anonymous"',
    ownAnswer: 'kube-apiserver has no plain HTTP: 400',
  },
];
