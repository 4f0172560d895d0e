/** With what a request of an attack authenticates. */
export type Credential =
  | 'none'
  | 'admin'
  /** Service accounts of the namespace `default` with few rights. */
  | 'robot'
  | 'manager'
  /** May do everything with the secret `mine`, patch config maps and read pods. */
  | 'clerk'
  /** Tokens that were valid once, or are so elsewhere. */
  | 'deleted account'
  | 'deleted secret'
  | 'other audience'
  | 'changed signature'
  | 'without algorithm';

/** One request that must not get more than the sender may have. */
export interface Attack {
  readonly title: string;
  readonly as: Credential;
  readonly method?: string | undefined;
  readonly path: string;
  /** Beside the one of the credential; `{admin}` and `{robot}` are their tokens. Of HTTP/2 also pseudo-headers. */
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly body?: unknown;
  /** @defaultValue HTTP/1.1 over TLS */
  readonly protocol?: 'h2' | 'plain' | undefined;
  /** The certificate of the client, one of `clientCertificates`. */
  readonly certificate?: string | undefined;
  /** The lines of the head after those of host and credential, and the body, byte by byte, in place of headers and body. */
  readonly text?: string | undefined;
  /** 0: the connection or stream ends without an answer. */
  readonly status: number;
  /** The message of the answer, or its beginning. */
  readonly says?: string | undefined;
  /** Why kube-apiserver answers differently. */
  readonly ownAnswer?: string | undefined;
}

export const SECRETS = '/api/v1/namespaces/default/secrets';
export const MAPS = '/api/v1/namespaces/default/configmaps';

const ANONYMOUS = 'User "system:anonymous"';
export const ROBOT = 'system:serviceaccount:default:robot';
export const MANAGER = 'system:serviceaccount:default:manager';

export const anonymousMayNot = (verb: string, resource: string): string =>
  `${resource} is forbidden: ${ANONYMOUS} cannot ${verb} resource "${resource}" in API group "" in the namespace "default"`;

export const robotMayNot = (verb: string, resource: string): string =>
  `${resource} is forbidden: User "${ROBOT}" cannot ${verb} resource "${resource}" in API group "" in the namespace "default"`;
export const CLERK = 'system:serviceaccount:default:clerk';

export const clerkMayNot = (verb: string, resource: string, name?: string): string =>
  `${resource}${name === undefined ? '' : ` "${name}"`} is forbidden: User "${CLERK}" cannot ${verb} resource "${resource}" in API group "" in the namespace "default"`;
