import type { NeededRole, RoleRule } from './needed-roles.ts';

export interface RoleManifestOptions {
  /** Of the roles and their bindings. */
  readonly name: string;
  /** The program, as it was started, for the comment. */
  readonly command: string;
  /** Gets the roles by bindings; undefined: there are none. */
  readonly account: { readonly namespace: string; readonly name: string } | undefined;
}

const API = 'rbac.authorization.k8s.io';
/** Text that YAML reads as it is. */
const PLAIN = /^[a-zA-Z/][\w./*-]*$/;
/** Words that YAML reads as something else. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** The roles as YAML, each with its binding if there is an account. */
export function roleManifest(
  roles: readonly NeededRole[],
  { name, command, account }: RoleManifestOptions,
): string {
  const documents = roles.flatMap((role) => [
    roleText(role, name),
    ...(account === undefined ? [] : [bindingText(role, name, account)]),
  ]);
  return `# What ${command} needed, recorded by listwatch rbac.\n${documents.join('---\n')}`;
}

function roleText(role: NeededRole, name: string): string {
  const kind = kindOf(role);
  return `${headOf(kind, role, name)}rules:\n${role.rules.map(ruleText).join('')}`;
}

function ruleText({ verbs, ...rule }: RoleRule): string {
  const fields = Object.entries<readonly string[]>({ ...rule, verbs });
  return fields
    .map(([field, texts], index) => `${index === 0 ? '  - ' : '    '}${field}: ${flow(texts)}\n`)
    .join('');
}

function bindingText(
  role: NeededRole,
  name: string,
  account: NonNullable<RoleManifestOptions['account']>,
): string {
  const kind = kindOf(role);
  return `${headOf(`${kind}Binding`, role, name)}roleRef:
  apiGroup: ${API}
  kind: ${kind}
  name: ${scalar(name)}
subjects:
  - kind: ServiceAccount
    name: ${scalar(account.name)}
    namespace: ${scalar(account.namespace)}
`;
}

function headOf(kind: string, { namespace }: NeededRole, name: string): string {
  const place = namespace === undefined ? '' : `  namespace: ${scalar(namespace)}\n`;
  return `apiVersion: ${API}/v1\nkind: ${kind}\nmetadata:\n  name: ${scalar(name)}\n${place}`;
}

function kindOf({ namespace }: NeededRole): string {
  return namespace === undefined ? 'ClusterRole' : 'Role';
}

function flow(texts: readonly string[]): string {
  return `[${texts.map(scalar).join(', ')}]`;
}

function scalar(text: string): string {
  if (text === '') return "''";
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}
