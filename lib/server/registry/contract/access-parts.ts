import type { UserInfo } from './user-info.ts';

/** The result of a token's authentication. An error without a text: no authenticator knows the token. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/** Signs the tokens of service accounts. */
export interface TokenSigner {
  readonly issuer: string;
  /** The audiences of a token that names none: those of this server. */
  readonly audiences: readonly string[];
  /** A signed token with these claims; the issuer is added. */
  sign(claims: Readonly<Record<string, unknown>>): string;
  /** The public key as a JSON web key set. */
  keySet(): object;
}

/** A question to the authorizer: who wants to do what. Texts that do not apply are empty. */
export interface AccessQuestion {
  readonly user: UserInfo;
  readonly verb: string;
  /** False: the question is about `path`. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** True if a rule forbids it; otherwise no rule allows it. */
  readonly denied?: boolean | undefined;
  readonly reason?: string | undefined;
}

/** How it is decided who may do what: by roles and their bindings, or not at all. */
export type Authorization = 'rbac' | 'always-allow';

export const AUTHORIZATIONS: readonly Authorization[] = ['rbac', 'always-allow'];

/** The rules of a user in a namespace, as a SelfSubjectRulesReview shows them. */
export interface AccessRules {
  readonly resourceRules: readonly object[];
  readonly nonResourceRules: readonly object[];
  readonly incomplete: boolean;
  /** Left out: all rules could be read. */
  readonly evaluationError?: string | undefined;
}

/** Decides who may do what. */
export interface Authorizer {
  /** @throws {ApiError} when the rules cannot be read. */
  authorize(question: AccessQuestion): Promise<AccessDecision>;
  /** @throws {ApiError} when the rules cannot be read. */
  rulesOf(user: UserInfo, namespace: string): Promise<AccessRules>;
}

/** Everybody may do everything, as with `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = {
  authorize: () => Promise.resolve({ allowed: true }),
  rulesOf: () =>
    Promise.resolve({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    }),
};

/** Authentication and authorization of a server, for its token and review resources. */
export interface AccessParts {
  readonly tokens: TokenSigner;
  readonly authorizer: Authorizer;
  /** Authenticates a bearer token for one of the audiences. Never rejects because of the token. */
  authenticate(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
}
