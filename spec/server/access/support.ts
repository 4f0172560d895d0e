import type { Answer, Answers } from '../registry/support/answers.ts';

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
export const JANE = 'jane@example.com';
export const MAPS = '/api/v1/namespaces/default/configmaps';

type Subject = Readonly<Record<string, string>>;
export const USER: Subject = { apiGroup: GROUP, kind: 'User', name: JANE };

export function mapOf(name: string): object {
  return { metadata: { name }, data: { a: 'b' } };
}

/** A role in the namespace `default`, and a binding of the same name. */
export async function grant(
  api: Answers,
  name: string,
  rules: readonly object[],
  subjects: readonly Subject[] = [USER],
): Promise<void> {
  const base = `${RBAC}/namespaces/default`;
  await created(api.post(`${base}/roles`, { metadata: { name }, rules }));
  const roleRef = { apiGroup: GROUP, kind: 'Role', name };
  await created(api.post(`${base}/rolebindings`, { metadata: { name }, roleRef, subjects }));
}

/** The same for the whole cluster. */
export async function grantEverywhere(
  api: Answers,
  name: string,
  rules: readonly object[],
  subjects: readonly Subject[] = [USER],
): Promise<void> {
  await created(api.post(`${RBAC}/clusterroles`, { metadata: { name }, rules }));
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
  await created(api.post(`${RBAC}/clusterrolebindings`, { metadata: { name }, roleRef, subjects }));
}

export async function created(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 201) throw new Error(`${status} ${text}`);
}

export function outcome({ status, body }: Answer): string {
  const { message } = body as { readonly message?: string };
  return `${status}${message === undefined ? '' : ` ${message}`}`;
}
