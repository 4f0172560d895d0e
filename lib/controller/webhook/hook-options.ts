import { ListwatchError } from '../../kernel/failure/errors.ts';
import { invalidOption, is, optionsOf } from '../../kernel/options/options-schema.ts';
import { apiVersionOf, groupResource, parseApiVersion } from '../../meta/resource.ts';
import type { LabelSelector } from '../../types/built-in/meta-v1-kinds.ts';
import type { MatchCondition } from '../../types/built-in/admissionregistration-v1-kinds.ts';
import type { AdmissionHook, ReviewFunction } from './review/admission-answer.ts';
import type { Operation } from './review/admission-context.ts';

/** When a webhook is called, as its registration says it. */
export interface HookOptions<Op extends Operation = Operation> {
  /** A DNS name of at least three parts, which users see in refusals. @defaultValue `PLURAL.VERSION.GROUP`, with the group `core` for `v1` */
  readonly name?: string | undefined;
  /** @defaultValue `['CREATE', 'UPDATE']` */
  readonly operations?: readonly Op[] | undefined;
  /** The labels of objects that it is for. @defaultValue all objects */
  readonly objectSelector?: LabelSelector | undefined;
  /**
   * The labels of namespaces that it is for. A webhook for pods and other built-in resources should leave out the namespace in which it runs:
   * otherwise it may keep itself from starting. @defaultValue all namespaces
   */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Expressions in CEL that must hold. @defaultValue none */
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  /** The effect of a call without a usable answer: the request fails, or the webhook is left out. @defaultValue 'Fail' */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** How long an API server waits, seconds, from 1 to 30. @defaultValue 10 */
  readonly timeoutSeconds?: number | undefined;
  /**
   * The side effects of the function besides the object: nothing, or nothing when `isDryRun`. Other functions are not for webhooks, because API
   * servers may call them and then not store the object. @defaultValue 'None'
   */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | undefined;
}

/** Options of `mutate`. */
export interface MutateOptions<Op extends Operation = Operation> extends HookOptions<Op> {
  /** Whether it is called again when a later webhook has changed the object. @defaultValue 'Never' */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
}

const OPERATIONS: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const HOOK = optionsOf<HookOptions>()('WebhookServer', {
  name: is.text(),
  operations: is.openRule<readonly Operation[]>(
    `an array of ${OPERATIONS.join(', ')}`,
    (given) =>
      Array.isArray(given) && given.length > 0 && given.every((one) => OPERATIONS.includes(one)),
  ),
  objectSelector: is.object(),
  namespaceSelector: is.object(),
  matchConditions: is.rule<readonly MatchCondition[]>('an array', Array.isArray),
  failurePolicy: is.oneOf('Fail', 'Ignore'),
  timeoutSeconds: is.integer({ min: 1, max: 30 }),
  sideEffects: is.oneOf('None', 'NoneOnDryRun'),
});
const MUTATE = optionsOf<MutateOptions>()('WebhookServer', {
  ...HOOK.rules,
  reinvocationPolicy: is.oneOf('Never', 'IfNeeded'),
});

/** A webhook as it was declared. */
export interface DeclaredHook extends AdmissionHook {
  readonly path: string;
  readonly group: string;
  readonly version: string;
  /** With the subresource: `deployments/scale`. */
  readonly resource: string;
  readonly options: MutateOptions;
}

const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?){2,}$/;

/** @throws {ListwatchError} code INVALID_OPTION or INVALID_API_VERSION. */
export function declaredHook(
  kind: DeclaredHook['kind'],
  apiVersion: string,
  resource: string,
  call: ReviewFunction,
  options: MutateOptions,
): DeclaredHook {
  const owner = `WebhookServer.${kind}`;
  requireFunction(owner, call);
  (kind === 'mutate' ? MUTATE : HOOK).read(options, owner);
  const { group, version } = parseApiVersion(apiVersion);
  const { operations = ['CREATE', 'UPDATE'] } = options;
  const plain = resource.replaceAll('/', '.');
  const { name = `${plain}.${version}.${group === '' ? 'core' : group}` } = options;
  if (!NAME.test(name)) {
    throw invalidOption(
      owner,
      `option "name" must be a DNS name of at least three parts, such as ${plain}.${version}.example.com, not ${JSON.stringify(name)}`,
    );
  }
  return {
    kind,
    name,
    path: `/${kind}/${name}`,
    operations,
    call,
    group,
    version,
    resource,
    options,
  };
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function requireFunction(owner: string, given: unknown): void {
  if (typeof given === 'function') return;
  throw new ListwatchError('INVALID_OPTION', `${owner} must get a function, not ${typeof given}`);
}

/** The name of the definition of a resource. @throws {ListwatchError} code INVALID_OPTION for built-in groups. */
export function definitionName(apiVersion: string, resource: string): string {
  const { group } = parseApiVersion(apiVersion);
  if (group !== '') return groupResource({ group, resource });
  throw new ListwatchError(
    'INVALID_OPTION',
    `WebhookServer.convert: only custom resources are converted by webhooks, not those of ${apiVersionOf({ group, version: apiVersion })}`,
  );
}
