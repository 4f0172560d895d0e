import { badRequest } from '../../../meta/failure/failures.ts';
import type { ApiRequest } from '../../http/api-request.ts';
import type { UserInfo } from '../../registry/contract/user-info.ts';

const PREFIX = 'impersonate-';
const EXTRA = `${PREFIX}extra-`;

/** The user that a request asks to act as, as its headers say. */
export type WantedUser = Required<Pick<UserInfo, 'username' | 'groups'>> & {
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
};

/**
 * Reads the headers `Impersonate-User`, `-Uid`, `-Group` and `-Extra-KEY`; undefined if there are none.
 * @throws {ApiError} 400 without a user name.
 * @see apiserver pkg/endpoints/filters/impersonation/impersonation.go processImpersonationHeaders @ v0.36.3
 */
export function wantedUserOf({ headers, headerLines }: ApiRequest): WantedUser | undefined {
  let asks = false;
  for (const name in headers) if (name.startsWith(PREFIX)) asks = true;
  if (!asks) return undefined;
  const lines = headerLines ?? linesOf(headers);
  const all = (wanted: string): string[] =>
    lines.filter(([name]) => name === wanted).map(([, value]) => value);
  const username = all(`${PREFIX}user`)[0] ?? '';
  const uid = all(`${PREFIX}uid`)[0] ?? '';
  const groups = all(`${PREFIX}group`);
  const extra = extraOf(lines);
  const user = { username, uid, groups, extra };
  if (username !== '') return user;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goForm(user)} without impersonating a user name`);
}

function linesOf(headers: ApiRequest['headers']): (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value = '']) => [name, value]);
}

function extraOf(lines: readonly (readonly [string, string])[]): WantedUser['extra'] {
  const values = new Map<string, string[]>();
  for (const [name, value] of lines) {
    if (!name.startsWith(EXTRA)) continue;
    const key = unescaped(name.slice(EXTRA.length));
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return Object.fromEntries(values);
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As Go prints the struct with `%#v`. */
function goForm({ username, uid, groups, extra }: WantedUser): string {
  const texts = (list: readonly string[]): string =>
    list.length === 0 ? '(nil)' : `{${list.map((one) => JSON.stringify(one)).join(', ')}}`;
  const keys = Object.keys(extra).toSorted();
  const pairs = keys.map((key) => `${JSON.stringify(key)}:[]string${texts(extra[key] ?? [])}`);
  return (
    `&user.DefaultInfo{Name:${JSON.stringify(username)}, UID:${JSON.stringify(uid)}, Groups:[]string${texts(groups)}, ` +
    `Extra:map[string][]string${keys.length === 0 ? '(nil)' : `{${pairs.join(', ')}}`}}`
  );
}
