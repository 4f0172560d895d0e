import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { recordsAt, textAt } from '../../meta/json-value.ts';
import { serviceAccountToken } from '../subresources/service-account-token.ts';
import { type KindRules } from '../../server/registry/contract/kind-rules.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

/** Only the names of secrets are kept. @see pkg/registry/core/serviceaccount/strategy.go @ v1.36.3 */
function keepNames(account: MutableObject): void {
  if (account['secrets'] === undefined) return;
  account['secrets'] = recordsAt(account, 'secrets').map((secret) => {
    const name = textAt(secret, 'name');
    return name === '' ? {} : { name };
  });
}

export const serviceAccounts: KindRules = {
  resource: 'serviceaccounts',
  newSubresources: (parts) => ({ token: serviceAccountToken(parts) }),
  strategy: {
    prepareForCreate: keepNames,
    prepareForUpdate: keepNames,
    warnings(account, existing) {
      const has = (object: typeof existing): boolean =>
        object?.metadata?.annotations !== undefined &&
        Object.hasOwn(object.metadata.annotations, ENFORCE);
      if (!has(account) || has(existing)) return [];
      return [
        `metadata.annotations[${ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ];
    },
  },
};
