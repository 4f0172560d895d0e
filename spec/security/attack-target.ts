import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';
import type { Attack, Credential } from './attack.ts';
import { requestOver, type AttackAnswer, type SentRequest } from './attack-request.ts';
import { clientCertificates } from './client-certificates.ts';

export interface AttackedServer {
  /** https. */
  readonly address: string;
  /** The certificates to trust, PEM. */
  readonly authority: string;
  /** The bearer token of an administrator. */
  readonly token: string;
  /** An authority of client certificates, with its key. */
  readonly clientAuthority: Certificate;
}

type Headers = SentRequest['headers'];

const CORE = '/api/v1/namespaces/default';
const GROUP = 'rbac.authorization.k8s.io';
const CERTIFICATES = 'certificates.k8s.io/v1';
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWE1IOENBUUF3SFRFTk1Bc0dBMVVFQ2d3RVpHVjJjekVNTUFvR0ExVUVBd3dEWlhabE1Ga3dFd1lIS29aSQp6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVZdTN5WENmVGFVMWd5MVdCa2xKcGZ0TGlXeUcwZFdHZjNob3lEZ3BFCmNCcVZGZlZkQTljZm1DM2Q1Z0tzcjQ2SHZCQlk2VnZ4MkdYN1NyeXJYck8wMktBQU1Bb0dDQ3FHU000OUJBTUMKQTBnQU1FVUNJUURaeG1pNEZvVHU4MGtLZmk2MjFJTzZ0QUZRWnIyUVM3anlUZlJsTk5xZ3BRSWdFVzdwRDBWZwo4YkRKUXRrMVlLWUs1dzU1WnVMUW9abEcrd3lCWUU4N3JIRT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';

/** The rights of the accounts. */
const ROBOT_RULES = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }];
const HELPER_RULES = [
  { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['helper'] },
];
const BOSS_RULES = [
  { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['boss'] },
];
const CLERK_RULES = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['*'], resourceNames: ['mine'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
];
const SECRET_RULES = [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }];
const MANAGER_RULES = [
  ...ROBOT_RULES,
  {
    apiGroups: [GROUP],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    verbs: ['get', 'create', 'update', 'patch'],
  },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: [
      'certificatesigningrequests',
      'certificatesigningrequests/approval',
      'certificatesigningrequests/status',
    ],
    verbs: ['get', 'create', 'update', 'patch'],
  },
];

/** A server with a few accounts and roles, and tokens with which attacks are made on it. */
export class AttackTarget {
  readonly #server: AttackedServer;
  readonly #tokens = new Map<Credential, string>();
  readonly #certificates: ReadonlyMap<string, Certificate>;

  private constructor(server: AttackedServer) {
    this.#server = server;
    this.#certificates = clientCertificates(server.clientAuthority);
    this.#tokens.set('admin', server.token);
  }

  static async prepare(server: AttackedServer): Promise<AttackTarget> {
    const target = new AttackTarget(server);
    await target.#prepareAccounts();
    await target.#prepareRoles();
    await target.#prepareTokens();
    return target;
  }

  async attack(attack: Attack): Promise<AttackAnswer> {
    const { as, method = 'GET', path, headers = [], body, protocol, text } = attack;
    const token = this.#tokens.get(as);
    const own: Headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
    const given = headers.map(([name, value]) => [name, this.#filled(value)] as const);
    const certificate = this.#certificates.get(attack.certificate ?? '');
    return await requestOver(this.#server, {
      method,
      path: this.#filled(path),
      headers: [...own, ...given],
      body,
      protocol,
      certificate,
      text: text === undefined ? undefined : this.#filled(text),
    });
  }

  /** The token of an account, valid for ten minutes. */
  tokenOf(credential: Credential): string {
    return this.#tokens.get(credential) ?? '';
  }

  async send(
    method: string,
    path: string,
    headers: Headers,
    body?: unknown,
  ): Promise<AttackAnswer> {
    return await requestOver(this.#server, { method, path, headers, body });
  }

  #filled(text: string): string {
    return text
      .replaceAll('{admin}', this.#server.token)
      .replaceAll('{robot}', this.tokenOf('robot'))
      .replaceAll('{admin64}', Buffer.from(this.#server.token).toString('base64url'));
  }

  /** As the administrator. What is there already stays. */
  async #post(path: string, body: object): Promise<{ readonly [field: string]: unknown }> {
    const headers: Headers = [['Authorization', `Bearer ${this.#server.token}`]];
    const { status, text } = await this.send('POST', path, headers, body);
    if (status >= 300 && status !== 409) throw new Error(`POST ${path}: ${status} ${text}`);
    return JSON.parse(text) as { readonly [field: string]: unknown };
  }

  async #delete(path: string): Promise<void> {
    await this.send('DELETE', path, [['Authorization', `Bearer ${this.#server.token}`]]);
  }

  async #prepareAccounts(): Promise<void> {
    for (const name of ['robot', 'manager', 'clerk', 'leaver']) {
      const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
      await this.#post(`${CORE}/serviceaccounts`, body);
    }
    for (const name of ['mine', 'other']) {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
      await this.#post(`${CORE}/secrets`, body);
    }
    const spec = {
      request: REQUEST,
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    };
    await this.#post(`/apis/${CERTIFICATES}/certificatesigningrequests`, {
      apiVersion: CERTIFICATES,
      kind: 'CertificateSigningRequest',
      metadata: { name: 'waiting' },
      spec,
    });
  }

  async #prepareRoles(): Promise<void> {
    const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'default' };
    const manager = { ...robot, name: 'manager' };
    const user = (name: string): object => ({ apiGroup: GROUP, kind: 'User', name });
    const rules = ROBOT_RULES;
    const base = `/apis/${GROUP}/v1/namespaces/default`;
    const metadata = { name: 'reader' };
    await this.#post(`${base}/roles`, { metadata, rules });
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'reader' };
    await this.#post(`${base}/rolebindings`, { metadata, roleRef, subjects: [robot] });
    await this.#grant('spec-robot', HELPER_RULES, robot);
    await this.#grant('spec-helper', BOSS_RULES, user('helper'));
    await this.#grant('spec-boss', SECRET_RULES, user('boss'));
    await this.#grant('spec-manager', MANAGER_RULES, manager);
    await this.#grant('spec-clerk', CLERK_RULES, { ...robot, name: 'clerk' });
  }

  async #grant(name: string, rules: readonly object[], subject: object): Promise<void> {
    const base = `/apis/${GROUP}/v1`;
    await this.#post(`${base}/clusterroles`, { metadata: { name }, rules });
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
    const subjects = [subject];
    await this.#post(`${base}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
  }

  async #prepareTokens(): Promise<void> {
    const robot = await this.#token('robot');
    this.#tokens.set('robot', robot);
    this.#tokens.set('manager', await this.#token('manager'));
    this.#tokens.set('clerk', await this.#token('clerk'));
    this.#tokens.set('other audience', await this.#token('robot', { audiences: ['vault'] }));
    this.#tokens.set('changed signature', withOtherSignature(robot));
    this.#tokens.set('without algorithm', withoutAlgorithm(robot));
    this.#tokens.set('deleted account', await this.#token('leaver'));
    await this.#delete(`${CORE}/serviceaccounts/leaver`);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bound' } };
    await this.#post(`${CORE}/secrets`, secret);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 'bound' };
    this.#tokens.set('deleted secret', await this.#token('robot', { boundObjectRef }));
    await this.#delete(`${CORE}/secrets/bound`);
  }

  async #token(account: string, spec: object = {}): Promise<string> {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600, ...spec },
    };
    const { status } = await this.#post(`${CORE}/serviceaccounts/${account}/token`, body);
    return (status as { readonly token: string }).token;
  }
}

function withOtherSignature(token: string): string {
  const [head, body, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return `${head}.${body}.${bytes.toString('base64url')}`;
}

function withoutAlgorithm(token: string): string {
  const [, body] = token.split('.');
  const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  return `${head}.${body}.`;
}
