import { isNotFound } from '../../../meta/failure/failures.ts';
import { listOfTexts } from '../../registry/rules/go-text.ts';
import type {
  Authorizer,
  AccessParts,
  TokenVerdict,
} from '../../registry/contract/access-parts.ts';
import type { WriteResult } from '../../registry/contract/rest-storage.ts';
import { serverContext } from '../../registry/contract/server-context.ts';
import type { ServerParts } from '../../registry/contract/subresource-parts.ts';
import {
  serviceAccountGroups,
  serviceAccountName,
  type UserInfo,
} from '../../registry/contract/user-info.ts';
import { recordAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import { SECRET_TOKEN_ISSUER, secretTokenSubject } from './secret-tokens.ts';
import { audiencesOf, type ServiceAccountTokens } from './service-account-tokens.ts';

const INVALIDATED = 'service account token has been invalidated';
const UNKNOWN = 'invalid bearer token';
const CREDENTIAL = 'authentication.kubernetes.io/credential-id';
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const NODE_UID = 'authentication.kubernetes.io/node-uid';

export interface TokenAuthenticatorOptions {
  readonly tokens: ServiceAccountTokens;
  readonly authorizer: Authorizer;
  readonly storeOf: ServerParts['storeOf'];
  /** The user of a token that is no service account's; undefined when there is none. */
  readonly userOfToken: (token: string) => UserInfo | undefined;
}

/**
 * Authenticates bearer tokens: those that the server was given, and those that it signed for service accounts. The service account,
 * and the pod, secret or node to which the token is bound, have to exist still.
 * @see pkg/serviceaccount claims.go @ 24a394e
 */
export class TokenAuthenticator implements AccessParts {
  readonly tokens: ServiceAccountTokens;
  readonly authorizer: Authorizer;
  readonly #options: TokenAuthenticatorOptions;

  constructor(options: TokenAuthenticatorOptions) {
    this.tokens = options.tokens;
    this.authorizer = options.authorizer;
    this.#options = options;
  }

  async authenticate(token: string, audiences: readonly string[]): Promise<TokenVerdict> {
    const wanted = audiences.length === 0 ? this.tokens.audiences : audiences;
    const known = this.#options.userOfToken(token);
    if (known !== undefined) {
      const shared = wanted.filter((one) => this.tokens.audiences.includes(one));
      return shared.length > 0 ? { user: known, audiences: shared } : { error: UNKNOWN };
    }
    const checked = this.tokens.check(token);
    if (checked === undefined) return { error: UNKNOWN };
    const problem = 'problem' in checked ? checked.problem : undefined;
    const claims = 'claims' in checked ? checked.claims : {};
    if (claims['iss'] === SECRET_TOKEN_ISSUER) return await this.#ofSecret(token, claims, wanted);
    const shared = audiencesOf(claims).filter((one) => wanted.includes(one));
    if (problem === undefined && shared.length === 0) {
      return refused(
        `token audiences ${listOfTexts(audiencesOf(claims))} is invalid for the target audiences ${listOfTexts(wanted)}`,
      );
    }
    const fault = problem ?? (await this.#faultOf(claims));
    return fault === undefined ? { user: userOf(claims), audiences: shared } : refused(fault);
  }

  /** A token without audience is for the server. */
  async #ofSecret(
    token: string,
    claims: JsonRecord,
    wanted: readonly string[],
  ): Promise<TokenVerdict> {
    const shared = wanted.filter((one) => this.tokens.audiences.includes(one));
    if (shared.length === 0) return { error: UNKNOWN };
    const { namespace, account, accountUid, secret } = secretTokenSubject(claims);
    const found = await this.#find('secrets', namespace, secret);
    const held = Buffer.from(textAt(found?.object, 'data', 'token'), 'base64').toString();
    if (found?.metadata.deletionTimestamp !== undefined || held !== token) {
      return refused(INVALIDATED);
    }
    const owner = await this.#find('serviceaccounts', namespace, account);
    if (owner === undefined || owner.metadata.uid !== accountUid) return refused(INVALIDATED);
    return {
      user: {
        username: serviceAccountName(namespace, account),
        uid: accountUid,
        groups: serviceAccountGroups(namespace),
      },
      audiences: shared,
    };
  }

  /** Why the token of an existing key is no longer valid; undefined: it is. */
  async #faultOf(claims: JsonRecord): Promise<string | undefined> {
    const own = recordAt(claims, 'kubernetes.io') ?? {};
    const namespace = textAt(own, 'namespace');
    const name = textAt(own, 'serviceaccount', 'name');
    const account = await this.#find('serviceaccounts', namespace, name);
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    const uid = textAt(own, 'serviceaccount', 'uid');
    if (account.metadata.uid !== uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${uid})`;
    }
    return (
      (await this.#boundFault(own, 'secret', 'secrets', namespace)) ??
      (await this.#boundFault(own, 'pod', 'pods', namespace)) ??
      (recordAt(own, 'pod') === undefined
        ? await this.#boundFault(own, 'node', 'nodes', '')
        : undefined)
    );
  }

  async #boundFault(
    own: JsonRecord,
    field: string,
    resource: string,
    namespace: string,
  ): Promise<string | undefined> {
    const bound = recordAt(own, field);
    if (bound === undefined) return undefined;
    const found = await this.#find(resource, namespace, textAt(bound, 'name'));
    const same = found !== undefined && found.metadata.uid === textAt(bound, 'uid');
    return same ? undefined : INVALIDATED;
  }

  async #find(resource: string, namespace: string, name: string): Promise<WriteResult | undefined> {
    try {
      return await this.#options.storeOf('', resource)?.get(serverContext(namespace), name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function refused(problem: string): TokenVerdict {
  return { error: `[${UNKNOWN}, ${problem}]` };
}

function userOf(claims: JsonRecord): UserInfo {
  const own = recordAt(claims, 'kubernetes.io') ?? {};
  const namespace = textAt(own, 'namespace');
  const extra: Record<string, readonly string[]> = {};
  const add = (key: string, value: string): void => {
    if (value !== '') extra[key] = [value];
  };
  const id = textAt(claims, 'jti');
  add(CREDENTIAL, id === '' ? '' : `JTI=${id}`);
  add(NODE_NAME, textAt(own, 'node', 'name'));
  add(NODE_UID, textAt(own, 'node', 'uid'));
  add(POD_NAME, textAt(own, 'pod', 'name'));
  add(POD_UID, textAt(own, 'pod', 'uid'));
  return {
    username: serviceAccountName(namespace, textAt(own, 'serviceaccount', 'name')),
    uid: textAt(own, 'serviceaccount', 'uid'),
    groups: serviceAccountGroups(namespace),
    extra,
  };
}
