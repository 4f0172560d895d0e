import type { AccessQuestion } from '../../server/registry/contract/access-parts.ts';
import {
  ruleAllows,
  rulesIn,
  type PolicyRule,
} from '../../server/access/authorization/policy-rule.ts';
import { bootstrapPolicy } from '../../kinds/bootstrap/bootstrap-policy.ts';

/** One right on resources that a program has used. */
export interface NeededAccess {
  readonly group: string;
  readonly version: string;
  /** With its subresource, such as `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Empty: all namespaces, or a resource without them. */
  readonly namespace: string;
  /** Empty: the request named no object. */
  readonly name: string;
}

/** Rights that were used, each once, in the order of their first use. */
export interface AccessUsed {
  readonly resources: readonly NeededAccess[];
  /** Paths of no resource, with their verbs: `get /metrics`. */
  readonly paths: readonly { readonly verb: string; readonly path: string }[];
}

/** Roles that kube-apiserver binds to everybody with credentials. @see plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go @ v1.36.3 */
const OF_EVERYBODY: ReadonlySet<string> = new Set([
  'system:basic-user',
  'system:discovery',
  'system:public-info-viewer',
]);
/** The streams of a pod: a SPDY request creates one, a WebSocket gets one, and since 1.35 it needs both. */
const STREAMS: ReadonlySet<string> = new Set(['pods/attach', 'pods/exec', 'pods/portforward']);
const WRITES: ReadonlySet<string> = new Set(['update', 'patch']);
/** Objects whose names a run is remembered for; a program that uses more of them computes the names. */
const MOST_RIGHTS = 100_000;

/** Keeps the rights that requests have needed. It stops at 100 000 different ones, and says so. */
export class AccessRecorder {
  readonly #resources = new Map<string, NeededAccess>();
  readonly #paths = new Map<string, { readonly verb: string; readonly path: string }>();
  readonly #everybody = rulesOfEverybody();
  #requests = 0;
  #isFull = false;

  /** The number of requests, whether or not they need a rule. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether rights were left out. */
  get isFull(): boolean {
    return this.#isFull;
  }

  get used(): AccessUsed {
    return { resources: [...this.#resources.values()], paths: [...this.#paths.values()] };
  }

  readonly record = (question: AccessQuestion): void => {
    this.#requests += 1;
    const { group, version, verb, path, namespace, name } = question;
    const resource = combined(question);
    if (this.#everybody.some((rule) => ruleAllows(rule, question, resource))) return;
    if (!question.isResource) {
      if (this.#hasRoom()) this.#paths.set(`${verb} ${path}`, { verb, path });
      return;
    }
    const place = { group, version, namespace, name };
    for (const one of verbsOf(verb, resource)) this.#add({ ...place, resource, verb: one });
    // A status that another program has written meanwhile is read before it is written again.
    if (question.subresource === 'status' && WRITES.has(verb)) {
      this.#add({ ...place, resource: question.resource, verb: 'get' });
    }
  };

  #add(access: NeededAccess): void {
    const { group, resource, verb, namespace, name } = access;
    const key = JSON.stringify([group, resource, verb, namespace, name]);
    if (!this.#resources.has(key) && this.#hasRoom()) this.#resources.set(key, access);
  }

  #hasRoom(): boolean {
    if (this.#resources.size + this.#paths.size < MOST_RIGHTS) return true;
    this.#isFull = true;
    return false;
  }
}

function rulesOfEverybody(): readonly PolicyRule[] {
  const { clusterroles } = bootstrapPolicy();
  return clusterroles
    .filter(({ metadata }) => OF_EVERYBODY.has(metadata?.name ?? ''))
    .flatMap(rulesIn);
}

function combined({ resource, subresource }: AccessQuestion): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/**
 * Also the verbs of which the run of another day needs one: a watch begins with a list where the server does not stream the first
 * objects, an event that occurs again is patched, and a stream needs both verbs.
 */
function verbsOf(verb: string, resource: string): readonly string[] {
  if (verb === 'watch') return ['list', 'watch'];
  if (verb === 'create' && resource === 'events') return ['create', 'patch'];
  if (STREAMS.has(resource) && (verb === 'get' || verb === 'create')) return ['get', 'create'];
  return [verb];
}
