import { serviceAccountName } from '../../registry/contract/user-info.ts';
import { textAt, type JsonRecord } from '../../../meta/json-value.ts';

/** The issuer of tokens in secrets, the same on every server. */
export const SECRET_TOKEN_ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';

/** The secret that holds a token, and its account. */
export interface SecretTokenSubject {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

/** The claims of a token in a secret. It has no end. @see kubernetes pkg/serviceaccount/legacy.go @ v1.36.3 */
export function secretTokenClaims({
  namespace,
  account,
  accountUid,
  secret,
}: SecretTokenSubject): JsonRecord {
  return {
    iss: SECRET_TOKEN_ISSUER,
    sub: serviceAccountName(namespace, account),
    [`${CLAIM}namespace`]: namespace,
    [`${CLAIM}secret.name`]: secret,
    [`${CLAIM}service-account.name`]: account,
    [`${CLAIM}service-account.uid`]: accountUid,
  };
}

export function secretTokenSubject(claims: JsonRecord): SecretTokenSubject {
  return {
    namespace: textAt(claims, `${CLAIM}namespace`),
    account: textAt(claims, `${CLAIM}service-account.name`),
    accountUid: textAt(claims, `${CLAIM}service-account.uid`),
    secret: textAt(claims, `${CLAIM}secret.name`),
  };
}
