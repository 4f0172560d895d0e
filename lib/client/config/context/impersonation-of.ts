import type { Impersonation } from '../../transport/contract/impersonation.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';

/**
 * The identity that an entry of `users` asks for.
 * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field.
 * @see client-go tools/clientcmd/validation.go validateAuthInfo @ 32ce75a7
 */
export function impersonationOf(entry: KubeconfigField): Impersonation | undefined {
  const user = entry.field('as').optionalText();
  const uid = entry.field('as-uid').optionalText();
  const groups = entry.field('as-groups').texts();
  const extraField = entry.field('as-user-extra');
  const keys = extraField.names();
  if (user === undefined) {
    const [name] = [
      ...(uid === undefined ? [] : ['as-uid']),
      ...(groups.length === 0 ? [] : ['as-groups']),
      ...(keys.length === 0 ? [] : ['as-user-extra']),
    ];
    if (name !== undefined) entry.field(name).fail('it needs a user; add "as" beside it');
    return undefined;
  }
  const extra = Object.fromEntries(keys.map((key) => [key, extraField.field(key).texts()]));
  return {
    user,
    uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: keys.length === 0 ? undefined : extra,
  };
}
