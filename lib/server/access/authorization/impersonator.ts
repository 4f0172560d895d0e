import { isApiError } from '../../../meta/failure/failures.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import {
  ANONYMOUS,
  AUTHENTICATED,
  isPrivileged,
  MASTERS,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED,
  type UserInfo,
} from '../../registry/contract/user-info.ts';
import { dnsSubdomain, mismatch } from '../../registry/rules/name-forms.ts';
import type { WantedUser } from '../authentication/impersonation-headers.ts';
import { forbiddenAccess } from './forbidden-access.ts';

const PATH_FORM = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = new RegExp(`^${PATH_FORM}$`);

/**
 * Why the extra values of a user may not be taken over; undefined: there is no such reason.
 * @see apiserver pkg/endpoints/filters/impersonation/mode.go validateExtra @ v0.36.3
 */
function extraProblem(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return notAllowed('the empty string key');
    const fault = keyFault(key);
    if (fault !== undefined) return `${notAllowed('an invalid key')}: extra.key: ${fault}`;
    if (key !== key.toLowerCase()) {
      return `${notAllowed('a non-lowercase key')}: ${JSON.stringify(key)}`;
    }
    if (values.includes('')) return notAllowed('the empty string value');
  }
  return undefined;
}

function notAllowed(what: string): string {
  return `impersonating ${what} in extra is not allowed`;
}

function keyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  if (slash < 1 || slash === key.length - 1) {
    return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const host = key.slice(0, slash);
  const [problem] = dnsSubdomain(host);
  if (problem !== undefined) return invalid(host, problem);
  const path = key.slice(slash + 1);
  return PATH.test(path) ? undefined : invalid(path, mismatch('Invalid path', PATH_FORM));
}

function invalid(value: string, problem: string): string {
  return `Invalid value: ${JSON.stringify(value)}: ${problem}`;
}

const GROUP = 'authentication.k8s.io';
const NODE_USER = 'system:node:';
const NODES = 'system:nodes';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
/** So many groups or extra values are asked for at once first. */
const MANY = 4;
/** Users whose last mode is remembered. */
const MOST_USERS = 10_000;

const EMPTY: Omit<AccessQuestion, 'user' | 'verb'> = {
  isResource: true,
  path: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** One way in which a user may be allowed to act as another one. */
interface Mode {
  /** Empty: the verb is `impersonate`, whatever the request does. */
  readonly name: string;
  /** Whether it is for such users. */
  readonly fits: (wanted: WantedUser, requestor: UserInfo) => boolean;
}

const MODES: readonly Mode[] = [
  {
    name: 'associated-node',
    fits: (wanted, requestor) =>
      isBare(wanted) &&
      serviceAccountOf(requestor.username) !== undefined &&
      nodeOf(wanted.username) !== undefined &&
      requestor.extra?.[NODE_NAME]?.length === 1 &&
      requestor.extra[NODE_NAME][0] === nodeOf(wanted.username),
  },
  {
    name: 'arbitrary-node',
    fits: (wanted) => isBare(wanted) && nodeOf(wanted.username) !== undefined,
  },
  {
    name: 'serviceaccount',
    fits: (wanted) => isBare(wanted) && serviceAccountOf(wanted.username) !== undefined,
  },
  {
    name: 'user-info',
    fits: ({ username }) =>
      nodeOf(username) === undefined && serviceAccountOf(username) === undefined,
  },
  { name: '', fits: () => true },
];

/**
 * Decides whether a user may act as another one: by the rights of constrained impersonation, then by those of the verb `impersonate`.
 * @see apiserver pkg/endpoints/filters/impersonation @ v0.36.3
 */
export class Impersonator {
  readonly #authorizer: Authorizer;
  /** The modes that were allowed last: tried first, and named by the next refusal. */
  readonly #last = new Map<string, Mode>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** The user that the request is of. @throws {ApiError} 403. */
  async impersonated(question: AccessQuestion, wanted: WantedUser): Promise<UserInfo> {
    const { user: requestor } = question;
    const last = this.#last.get(requestor.username);
    const modes = last === undefined ? MODES : [last, ...MODES.filter((one) => one !== last)];
    let refusal: unknown;
    for (const mode of modes) {
      if (!mode.fits(wanted, requestor)) continue;
      try {
        const user = await this.#inMode(mode, question, wanted);
        this.#remember(requestor.username, mode);
        return user;
      } catch (error) {
        if (!isApiError(error) || error.code !== 'FORBIDDEN') throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #remember(username: string, mode: Mode): void {
    this.#last.delete(username);
    this.#last.set(username, mode);
    if (this.#last.size <= MOST_USERS) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }

  async #inMode(mode: Mode, question: AccessQuestion, wanted: WantedUser): Promise<UserInfo> {
    const verb = mode.name === '' ? 'impersonate' : `impersonate:${mode.name}`;
    if (mode.name !== '') {
      await this.#check({ ...question, verb: `impersonate-on:${mode.name}:${question.verb}` });
    }
    const empty = { ...EMPTY, user: question.user, verb };
    const ask: Ask = (about) => this.#check({ ...empty, ...about });
    const groups = await checkName(mode, wanted, ask);
    if (wanted.uid !== '') await ask({ group: GROUP, resource: 'uids', name: wanted.uid });
    await checkGroups(mode, wanted.groups, ask, empty);
    await checkExtra(mode, wanted.extra, ask, empty);
    return withOwnGroup({ ...wanted, groups });
  }

  /** @throws {ApiError} 403. */
  async #check(question: AccessQuestion): Promise<void> {
    if (isPrivileged(question.user)) return;
    const { allowed, reason } = await this.#authorizer.authorize(question);
    if (!allowed) throw forbiddenAccess(question, reason);
  }
}

/** @throws {ApiError} 403. */
type Ask = (about: Partial<AccessQuestion>) => Promise<void>;

async function checkGroups(
  { name: mode }: Mode,
  groups: readonly string[],
  ask: Ask,
  empty: AccessQuestion,
): Promise<void> {
  const about = { group: mode === '' ? '' : GROUP, resource: 'groups' };
  if (mode !== '') {
    if (groups.includes('')) {
      const reason = 'impersonating the empty string group is not allowed';
      throw forbiddenAccess({ ...empty, ...about }, reason);
    }
    if (groups.includes(MASTERS)) {
      const reason = `impersonating the ${MASTERS} group is not allowed`;
      throw forbiddenAccess({ ...empty, ...about, name: MASTERS }, reason);
    }
    if (groups.length >= MANY && (await isAllowed(ask({ ...about, name: '*' })))) return;
  }
  for (const name of groups) await ask({ ...about, name });
}

async function checkExtra(
  { name: mode }: Mode,
  extra: WantedUser['extra'],
  ask: Ask,
  empty: AccessQuestion,
): Promise<void> {
  const about = { group: GROUP, resource: 'userextras' };
  const values = Object.entries(extra).flatMap(([key, list]) =>
    list.map((name) => ({ subresource: key, name })),
  );
  if (mode !== '') {
    const problem = extraProblem(extra);
    if (problem !== undefined) throw forbiddenAccess({ ...empty, ...about }, problem);
    const all = { ...about, subresource: '*', name: '*' };
    if (values.length >= MANY && (await isAllowed(ask(all)))) return;
  }
  for (const value of values) await ask({ ...about, ...value });
}

async function isAllowed(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (isApiError(error) && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

/** Checks the user name; returns the groups that the user has. @throws {ApiError} 403. */
async function checkName(
  { name: mode }: Mode,
  wanted: WantedUser,
  ask: Ask,
): Promise<readonly string[]> {
  const group = mode === '' ? '' : GROUP;
  const { username, groups } = wanted;
  const node = mode === '' ? undefined : nodeOf(username);
  if (node !== undefined) {
    // A service account that may act as its own node may do so on every node that it runs on.
    await ask({ group, resource: 'nodes', name: mode === 'associated-node' ? '*' : node });
    return [NODES];
  }
  const account = serviceAccountOf(username);
  if (account === undefined) {
    await ask({ group, resource: 'users', name: username });
    return groups;
  }
  await ask({ group, resource: 'serviceaccounts', ...account });
  return groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
}

/** With the group of all users who have authenticated, or of those who have not. */
function withOwnGroup({ username, uid, groups, extra }: WantedUser): UserInfo {
  const add = (group: string): readonly string[] =>
    groups.includes(group) ? groups : [...groups, group];
  const isOutside = groups.includes(UNAUTHENTICATED);
  const all =
    username === ANONYMOUS ? add(UNAUTHENTICATED) : isOutside ? groups : add(AUTHENTICATED);
  return { username, uid, groups: all, extra };
}

function isBare({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE_USER)) return undefined;
  const name = username.slice(NODE_USER.length);
  return dnsSubdomain(name).length > 0 ? undefined : name;
}
