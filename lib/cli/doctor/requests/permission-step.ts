import { deriveAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { shownText } from '../../terminal/shown-text.ts';
import type { ServedResource } from '../contract/findings.ts';
import { missingRule } from '../../../meta/missing-rule.ts';
import type { RequestProbe } from '../contract/request-probe.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { collectionPath, collectionText } from './collection-path.ts';

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const VERBS = ['list', 'watch'] as const;

type Verb = (typeof VERBS)[number];

/** Asks whether the user may list and watch a resource. */
export function permissionStep(name: string): Step {
  return {
    id: `permission/${name}`,
    title: `permission for ${name}`,
    needs: ['discovery'],
    async run(context: DoctorContext): Promise<Outcome> {
      const served = context.findings.served(name);
      const { namespace } = context.options;
      const missing = await missingVerbs(context, served, namespace);
      const place = collectionText(served, namespace);
      const data = { allowed: VERBS.filter((verb) => !missing.includes(verb)), missing };
      if (missing.length === 0) {
        return { status: 'ok', detail: `${VERBS.join(' and ')} ${place}`, data };
      }
      const who = context.findings.user ?? 'this user';
      const detail = shownText(`${who} may not ${missing.join(' and ')} ${place} (HTTP 403)`);
      const remedy = await remedyFor(context, served);
      return { status: 'failed', code: 'FORBIDDEN', detail, remedy, data };
    },
  };
}

/** The rule to add; or the namespace to give when the user may do it there. */
async function remedyFor(context: DoctorContext, served: ServedResource): Promise<string> {
  const { options, findings } = context;
  const { group, resource, namespaced } = served;
  const namespace = namespaced ? options.namespace : undefined;
  const clusterScope = namespace === undefined;
  const rule = missingRule({ group, resource, namespace, clusterScope }, VERBS);
  if (!namespaced || !clusterScope) return rule;
  const own = findings.found.namespace;
  if ((await missingVerbs(context, served, own)).length > 0) return rule;
  return `give --namespace ${own}, and the namespace to the informer: there it is allowed; or ${rule}`;
}

async function missingVerbs(
  context: DoctorContext,
  served: ServedResource,
  namespace: string | undefined,
): Promise<Verb[]> {
  const missing: Verb[] = [];
  for (const verb of VERBS) {
    if (!(await isAllowed(context, served, namespace, verb))) missing.push(verb);
  }
  return missing;
}

async function isAllowed(
  { findings, signal }: DoctorContext,
  served: ServedResource,
  namespace: string | undefined,
  verb: Verb,
): Promise<boolean> {
  const { group, version, resource, namespaced } = served;
  const scope = namespaced && namespace !== undefined ? { namespace } : {};
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, version, resource, verb, ...scope } },
  };
  const review = await findings.opened.answer({ method: 'POST', path: PATH, body, signal });
  if (review.error === undefined) {
    return (review.json['status'] as { allowed?: unknown } | undefined)?.allowed === true;
  }
  if (![403, 404, 405].includes(review.status)) throw review.error;
  // The server does not say, so the verb is tried.
  const path = collectionPath(served, namespace);
  return verb === 'list'
    ? await mayList(findings.opened, `${path}?limit=1`, signal)
    : await mayWatch(findings.opened, `${path}?watch=true&timeoutSeconds=1`, signal);
}

async function mayList(
  requests: RequestProbe,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { error, status } = await requests.answer({ path, signal });
  if (error !== undefined && status !== 403) throw error;
  return error === undefined;
}

async function mayWatch(
  requests: RequestProbe,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  // Ends the watch as soon as it has begun.
  using abort = deriveAbort(signal);
  try {
    await requests.stream(path, abort.signal);
    return true;
  } catch (error) {
    if (isListwatchError(error, 'FORBIDDEN')) return false;
    throw error;
  } finally {
    abort.abort();
  }
}
