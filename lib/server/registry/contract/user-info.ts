/** Who sends a request, as reviews show it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

const AUTHENTICATED = 'system:authenticated';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const ANONYMOUS = 'system:anonymous';

/** The user name of a service account. */
export function serviceAccountName(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

/** The groups of every service account of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED];
}

/** The user of which only the name is known, with the groups that follow from it. */
export function userNamed(username: string): UserInfo {
  if (username === ANONYMOUS) return { username, groups: ['system:unauthenticated'] };
  if (!username.startsWith(SERVICE_ACCOUNT)) return { username, groups: [AUTHENTICATED] };
  const [namespace = ''] = username.slice(SERVICE_ACCOUNT.length).split(':', 1);
  return { username, groups: serviceAccountGroups(namespace) };
}

/** The user that may do everything, also where an authorizer decides. */
export function adminUser(username: string): UserInfo {
  return { username, groups: ['system:masters', AUTHENTICATED] };
}
