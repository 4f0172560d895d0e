import { dnsLabel, dnsSubdomain } from '../rules/name-forms.ts';

/** The sender of a request, as reviews show it. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The group of every user that has authenticated. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of requests without credentials. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The user of requests without credentials. */
export const ANONYMOUS = 'system:anonymous';
/** The members of this group may do everything. */
export const MASTERS = 'system:masters';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

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
  if (username === ANONYMOUS) return { username, groups: [UNAUTHENTICATED] };
  if (!username.startsWith(SERVICE_ACCOUNT)) return { username, groups: [AUTHENTICATED] };
  const [namespace = ''] = username.slice(SERVICE_ACCOUNT.length).split(':', 1);
  return { username, groups: serviceAccountGroups(namespace) };
}

/** The user that may do everything, also where an authorizer decides. */
export function adminUser(username: string): UserInfo {
  return { username, groups: [MASTERS, AUTHENTICATED] };
}

/** The user of a request without one: code in the same process, which needs no credentials. */
export const IN_PROCESS_USER: UserInfo = adminUser('system:admin');

/** Whether the user may do everything, whatever the rules are. */
export function isPrivileged({ groups }: UserInfo): boolean {
  return groups.includes(MASTERS);
}

/** The namespace and name of the service account of a user name; undefined for other users. */
export function serviceAccountOf(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || dnsLabel(namespace).length > 0) return undefined;
  return dnsSubdomain(name).length > 0 ? undefined : { namespace, name };
}
