import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import { forbidden, invalid } from '../../../meta/failure/failures.ts';
import { jsonEqual, recordAt, recordsAt, textAt } from '../../../meta/json-value.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type {
  AdmissionRequest,
  AdmissionScope,
} from '../../../server/registry/contract/admission.ts';
import {
  admittedName,
  type AdmissionPlugIn,
  type Followed,
  type PlugInParts,
} from '../../../server/registry/contract/plug-in.ts';
import { serverContext } from '../../../server/registry/contract/server-context.ts';
import { namespaceWarnings } from './namespace-pods.ts';
import { securedPodOf, type SecuredPod } from './secured-pod.ts';
import {
  isSameLevel,
  levelText,
  policyOf,
  PRIVILEGED_POLICY,
  SECURITY_PREFIX,
  strictness,
  type LevelVersion,
  type SecurityPolicy,
} from './security-policy.ts';
import { SecurityStandards, violationsText } from './security-standards.ts';

/** The kinds with templates of pods: the group of each plural, and the path to its template. */
const TEMPLATES: ReadonlyMap<string, { readonly group: string; readonly path: readonly string[] }> =
  new Map([
    ['podtemplates', { group: '', path: ['template'] }],
    ['replicationcontrollers', { group: '', path: ['spec', 'template'] }],
    ['replicasets', { group: 'apps', path: ['spec', 'template'] }],
    ['deployments', { group: 'apps', path: ['spec', 'template'] }],
    ['statefulsets', { group: 'apps', path: ['spec', 'template'] }],
    ['daemonsets', { group: 'apps', path: ['spec', 'template'] }],
    ['jobs', { group: 'batch', path: ['spec', 'template'] }],
    ['cronjobs', { group: 'batch', path: ['spec', 'jobTemplate', 'spec', 'template'] }],
  ]);

/** The subresources of pods that change no spec. */
const IGNORED: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

/**
 * Compares pods with the security standards that the labels of their namespace name: refuses them, warns, or notes it for the audit.
 * Templates of pods only cause warnings and notes. Nothing is read from the storage for a pod; without labelled namespaces, pods and
 * templates are not looked at.
 * @see pod-security-admission admission/admission.go @ v0.37.2
 */
export class PodSecurity implements AdmissionPlugIn {
  readonly name = 'PodSecurity';
  readonly #parts: Pick<PlugInParts, 'runtime' | 'storeOf' | 'logger'>;
  readonly #standards: SecurityStandards;
  /** By the name of the namespace; undefined without labels. */
  readonly #policies: Followed<SecurityPolicy | undefined>;
  /** How many namespaces have labels. */
  #labelled = 0;

  constructor(
    { follow, ...parts }: Pick<PlugInParts, 'runtime' | 'storeOf' | 'logger' | 'follow'>,
    minor: KubernetesMinor,
  ) {
    this.#parts = parts;
    this.#standards = new SecurityStandards(minor);
    this.#policies = follow<SecurityPolicy | undefined>({
      group: '',
      resource: 'namespaces',
      read: ({ metadata }) => policyOf(metadata?.labels),
      onChange: (before, after) => {
        this.#labelled += Number(after !== undefined) - Number(before !== undefined);
      },
    });
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
    if (resource === 'namespaces') return group === '' && subresource === '';
    if (this.#labelled === 0) return false;
    if (resource === 'pods') return group === '' && !IGNORED.has(subresource);
    return subresource === '' && TEMPLATES.get(resource)?.group === group;
  }

  /** @throws {ApiError} 403 for a pod, 422 for a namespace. */
  async validate(request: AdmissionRequest): Promise<void> {
    const { resource } = request.target;
    if (resource === 'namespaces') await this.#checkNamespace(request);
    else this.#checkPod(request, TEMPLATES.get(resource)?.path);
  }

  /** @param path That of the template; undefined for a pod itself. */
  #checkPod(request: AdmissionRequest, path: readonly string[] | undefined): void {
    const { object, oldObject, namespace, context } = request;
    const policy = this.#policies.named('', namespace);
    const isPod = path === undefined;
    const holder = isPod ? object : recordAt(object, ...path);
    if (policy === undefined || holder === undefined) return;
    if (isPod && isPrivileged(policy)) {
      annotate(request, 'enforce-policy', levelText(PRIVILEGED_POLICY.enforce));
      return;
    }
    if (isPod && oldObject !== undefined && !isSignificant(holder, oldObject)) return;
    if (policy.faults.length > 0) annotate(request, 'error', policyFaultsText(policy));
    const textOf = this.#violationTexts(securedPodOf(holder));
    const [noted, warning] = [textOf(policy.audit), textOf(policy.warn)];
    if (noted !== undefined) annotate(request, 'audit-violations', `would violate ${noted}`);
    if (isPod) {
      annotate(request, 'enforce-policy', levelText(policy.enforce));
      const refusal = textOf(policy.enforce);
      if (refusal !== undefined) {
        throw forbidden(request.target, admittedName(request), `violates ${refusal}`);
      }
    }
    if (warning !== undefined) context.warn(`would violate ${warning}`);
  }

  /** Texts such as `PodSecurity "restricted:latest": …` by level, each made once; undefined when the pod keeps all rules. */
  #violationTexts(pod: SecuredPod): (at: LevelVersion) => string | undefined {
    const texts = new Map<string, string | undefined>();
    return (at) => {
      const name = levelText(at);
      if (!texts.has(name)) {
        const violations = this.#standards.violations(pod, at);
        const text = `PodSecurity "${name}": ${violationsText(violations)}`;
        texts.set(name, violations.length === 0 ? undefined : text);
      }
      return texts.get(name);
    };
  }

  /** Labels that cannot be read may stay as they are, so that other fields can be changed. */
  async #checkNamespace(request: AdmissionRequest): Promise<void> {
    const { object, oldObject, target, context } = request;
    const after = policyOf(object?.metadata?.labels) ?? PRIVILEGED_POLICY;
    const before = policyOf(oldObject?.metadata?.labels) ?? PRIVILEGED_POLICY;
    if (after.faults.length > 0 && !jsonEqual(after.faults, before.faults)) {
      throw invalid(target, admittedName(request), after.faults);
    }
    if (oldObject === undefined || !isStricter(after.enforce, before.enforce)) return;
    for (const warning of await this.#namespaceWarnings(request, after.enforce))
      context.warn(warning);
  }

  async #namespaceWarnings(
    { namespace, context }: AdmissionRequest,
    enforce: LevelVersion,
  ): Promise<readonly string[]> {
    const { runtime, storeOf, logger } = this.#parts;
    try {
      const pods = await storeOf('', 'pods')?.list(serverContext(namespace, context.signal));
      return namespaceWarnings(pods?.items.map(({ object }) => object) ?? [], {
        namespace,
        enforce,
        standards: this.#standards,
        now: () => runtime.monotonicMs(),
      });
    } catch (error) {
      context.signal?.throwIfAborted();
      logger.warn('PodSecurity: the pods of a namespace were not compared with its new level', {
        namespace,
        error,
      });
      return ['failed to list pods while checking new PodSecurity enforce level'];
    }
  }
}

function isPrivileged({ enforce, audit, warn, faults }: SecurityPolicy): boolean {
  return faults.length === 0 && [enforce, audit, warn].every((one) => one.level === 'privileged');
}

/** Whether pods that were accepted may be refused. */
function isStricter(after: LevelVersion, before: LevelVersion): boolean {
  if (after.level === 'privileged' || isSameLevel(after, before)) return false;
  return after.version !== before.version || strictness(after) > strictness(before);
}

/** Whether an update changes what the standards are about: of a pod, only images can be changed and ephemeral containers added. */
function isSignificant(pod: UnstructuredObject, before: UnstructuredObject): boolean {
  const imagesOf = (one: UnstructuredObject, list: string): string[] =>
    recordsAt(one, 'spec', list).map((container) => textAt(container, 'image'));
  const isChanged = ['containers', 'initContainers'].some(
    (list) => !jsonEqual(imagesOf(pod, list), imagesOf(before, list)),
  );
  if (isChanged) return true;
  const known = recordsAt(before, 'spec', 'ephemeralContainers');
  return recordsAt(pod, 'spec', 'ephemeralContainers').some(
    (one) => !known.some(({ name, image }) => name === one['name'] && image === one['image']),
  );
}

function annotate({ context }: AdmissionRequest, name: string, value: string): void {
  context.annotate?.(`${SECURITY_PREFIX}${name}`, value);
}

function policyFaultsText({ faults }: SecurityPolicy): string {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`);
  return `Failed to parse policy: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
}
