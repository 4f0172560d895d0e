import { randomUuid } from '../../kernel/time/random.ts';
import { badRequest, conflict, invalid, type FieldCause } from '../../meta/failure/failures.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import type {
  RequestContext,
  RestStorage,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { serviceAccountName } from '../../server/registry/contract/user-info.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { recordAt, textAt, textsAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import { isSince } from '../../meta/releases/kubernetes-features.ts';
import { namedCreation } from './named-creation.ts';
import { attestationCauses, isForWebhook } from './token-attestations.ts';

const TOKEN_REQUEST = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
} as const;
const DEFAULT_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;
const SECOND_MS = 1000;
/** An alpha feature of Kubernetes 1.37. */
const WEBHOOK_TOKENS = 'APIServerWebhookAuthenticationToken';

/** `serviceaccounts/NAME/token`: a signed token of the service account, optionally bound to a pod, secret or node. */
export function serviceAccountToken(parts: SubresourceParts): RestStorage {
  return namedCreation({
    of: parts.store.describe,
    kind: TOKEN_REQUEST,
    createNamed: async (context, name, request) => await issue(parts, context, name, request),
  });
}

/** @see pkg/registry/core/serviceaccount/storage TokenREST @ 24a394e */
async function issue(
  parts: SubresourceParts,
  context: RequestContext,
  name: string,
  request: UnstructuredObject,
): Promise<WriteResult> {
  checkName(request, name);
  const account = (await parts.store.get(context, name)).object;
  const { uid } = account.metadata ?? {};
  const askedUid = textAt(request, 'metadata', 'uid');
  if (askedUid !== '' && askedUid !== uid) {
    const reason = `the UID in the token request (${askedUid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: TOKEN_REQUEST.group, resource: TOKEN_REQUEST.kind }, name, reason);
  }
  const audiences = textsAt(request, 'spec', 'audiences');
  const aud = audiences.length === 0 ? parts.access.tokens.audiences : audiences;
  const seconds = secondsOf(request, isSince(parts.minor, 'webhookBoundTokens') ? aud : undefined);
  const bound = await boundClaims(
    parts,
    context,
    name,
    recordAt(request, 'spec', 'boundObjectRef'),
  );
  const nowMs = parts.runtime.wallMs();
  const now = Math.floor(nowMs / SECOND_MS);
  const token = parts.access.tokens.sign({
    aud,
    exp: now + seconds,
    iat: now,
    jti: randomUuid(parts.runtime),
    'kubernetes.io': {
      namespace: context.namespace,
      ...bound,
      serviceaccount: { name, uid },
    },
    nbf: now,
    sub: serviceAccountName(context.namespace, name),
  });
  return new DerivedObject('', {
    kind: TOKEN_REQUEST.kind,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      ...recordAt(request, 'metadata'),
      name,
      namespace: context.namespace,
      uid,
      creationTimestamp: timestampOf(nowMs),
    },
    spec: {
      ...recordAt(request, 'spec'),
      audiences: aud,
      expirationSeconds: seconds,
      boundObjectRef: recordAt(request, 'spec', 'boundObjectRef') ?? null,
    },
    status: { token, expirationTimestamp: timestampOf(nowMs + seconds * SECOND_MS) },
  });
}

/** @throws {ApiError} 422 when the body is about another service account. */
function checkName(request: UnstructuredObject, name: string): void {
  const { name: givenName = '' } = request.metadata ?? {};
  if (givenName === '' || givenName === name) return;
  const rule = 'must match the service account name if specified';
  throw invalid(TOKEN_REQUEST, name, [fieldInvalid('metadata.name', givenName, rule)]);
}

/**
 * The time of a token whose request is right.
 * @param audiences those of the token; undefined: attestations are not looked at
 * @throws {ApiError} 400, 422.
 */
function secondsOf(request: UnstructuredObject, audiences: readonly string[] | undefined): number {
  const given = valueAt(request, 'spec', 'expirationSeconds') ?? DEFAULT_SECONDS;
  const seconds = typeof given === 'number' ? given : Number.NaN;
  if (!Number.isInteger(seconds)) throw badRequest('spec.expirationSeconds must be a whole number');
  const spec = valueAt(request, 'spec');
  const attested = audiences === undefined ? [] : attestationCauses(spec, audiences);
  const isMisplaced = attested.length > 0 && !isForWebhook(recordAt(spec, 'boundObjectRef'));
  // A misplaced attestation is the one cause that kube-apiserver gives.
  const causes = isMisplaced ? attested : [...timeCauses(seconds), ...attested];
  if (causes.length > 0) throw invalid(TOKEN_REQUEST, '', causes);
  return seconds;
}

function timeCauses(seconds: number): FieldCause[] {
  if (seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS) return [];
  const rule =
    seconds < SHORTEST_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : 'may not specify a duration larger than 2^32 seconds';
  return [fieldInvalid('spec.expirationSeconds', seconds, rule)];
}

const BINDABLE: Readonly<Record<string, { readonly resource: string; readonly field: string }>> = {
  Pod: { resource: 'pods', field: 'pod' },
  Secret: { resource: 'secrets', field: 'secret' },
  Node: { resource: 'nodes', field: 'node' },
};

/** The claims about the object that the token is bound to. @throws {ApiError} 400, 404, 409. */
async function boundClaims(
  { storeOf, minor }: SubresourceParts,
  context: RequestContext,
  account: string,
  reference: JsonRecord | undefined,
): Promise<object> {
  if (reference === undefined) return {};
  const kind = textAt(reference, 'kind');
  const apiVersion = textAt(reference, 'apiVersion');
  const name = textAt(reference, 'name');
  // Any version of the core group will do, also none.
  const bindable =
    !apiVersion.includes('/') && Object.hasOwn(BINDABLE, kind) ? BINDABLE[kind] : undefined;
  const store = bindable === undefined ? undefined : storeOf('', bindable.resource);
  if (bindable === undefined || store === undefined) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const isGated = isForWebhook(reference) && isSince(minor, 'webhookBoundTokens');
    const why = isGated ? ` (feature gate ${WEBHOOK_TOKENS} is disabled)` : '';
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}${why}`);
  }
  const namespace = kind === 'Node' ? '' : context.namespace;
  const { object } = await store.get({ ...context, namespace }, name);
  if (kind === 'Pod' && textAt(object, 'spec', 'serviceAccountName') !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  checkUid(reference, object, kind, name);
  const claims = { [bindable.field]: { name, uid: object.metadata?.uid } };
  const nodeName = kind === 'Pod' ? textAt(object, 'spec', 'nodeName') : '';
  if (nodeName === '') return claims;
  // A node that does not exist is named all the same.
  const node = await storeOf('', 'nodes')
    ?.get({ ...context, namespace: '' }, nodeName)
    .catch(() => undefined);
  return { node: { name: nodeName, uid: node?.metadata.uid }, ...claims };
}

function checkUid(
  reference: JsonRecord,
  { metadata }: KubernetesObject,
  kind: string,
  name: string,
): void {
  const uid = textAt(reference, 'uid');
  if (uid === '' || uid === metadata?.uid) return;
  const reason = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: kind }, name, reason);
}
