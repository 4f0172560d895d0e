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

/** The subject of a question to the authorizer: who wants to do what. The attributes are those of a review's `spec`. */
export interface AccessQuestion {
  readonly user: UserInfo;
  readonly resourceAttributes: Readonly<Record<string, unknown>> | undefined;
  readonly nonResourceAttributes: Readonly<Record<string, unknown>> | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** True if a rule forbids it; otherwise no rule allows it. */
  readonly denied?: boolean | undefined;
  readonly reason?: string | undefined;
}

/** The rules of a user in a namespace, as a SelfSubjectRulesReview shows them. */
export interface AccessRules {
  readonly resourceRules: readonly object[];
  readonly nonResourceRules: readonly object[];
  readonly incomplete: boolean;
}

/** Decides who may do what. */
export interface Authorizer {
  authorize(question: AccessQuestion): Promise<AccessDecision>;
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
