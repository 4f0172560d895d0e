import { certificateKinds } from './certificate-kinds.ts';
import type { CredentialKind } from './credential-kind.ts';
import { identityKinds } from './identity-kinds.ts';
import { pluginKinds } from './plugin-kinds.ts';
import { proxyKinds } from './proxy-kinds.ts';
import { tokenKinds } from './token-kinds.ts';

/** Every kind of credential, in the order of the table. */
export const credentialKinds: readonly CredentialKind[] = [
  ...tokenKinds,
  ...certificateKinds,
  ...pluginKinds,
  ...identityKinds,
  ...proxyKinds,
];

/** Those of this name or, when there is none, those whose names contain it; without names all of them. */
export function kindsNamed(names: readonly string[]): readonly CredentialKind[] {
  if (names.length === 0) return credentialKinds;
  return credentialKinds.filter((kind) =>
    names.some((name) =>
      credentialKinds.some((one) => one.name === name)
        ? kind.name === name
        : kind.name.includes(name),
    ),
  );
}
