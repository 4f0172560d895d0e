import {
  defaultTo,
  ensureRecord,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';

/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const HTTPS_PORT = 443;

/** Sets the optional names of a definition. */
export function setDefinitionDefaults(definition: MutableObject): void {
  const spec = recordAt(definition, 'spec');
  if (spec === undefined) return;
  const names = ensureRecord(spec, 'names');
  const kind = textAt(names, 'kind');
  if (names !== undefined && kind !== '') {
    defaultTo(names, 'singular', kind.toLowerCase());
    defaultTo(names, 'listKind', `${kind}List`);
  }
  if (!Object.hasOwn(spec, 'conversion')) spec['conversion'] = { strategy: 'None' };
  const service = recordAt(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (service !== undefined) defaultTo(service, 'port', HTTPS_PORT);
}

/** Without one condition. Replaces the status object, which may be shared. */
export function removeCondition(definition: MutableObject, type: string): void {
  const conditions = recordsAt(definition, 'status', 'conditions').filter(
    (one) => one['type'] !== type,
  );
  definition['status'] = { ...recordAt(definition, 'status'), conditions };
}

/** The condition of a type. */
export function conditionOf(definition: unknown, type: string): JsonRecord | undefined {
  return recordsAt(definition, 'status', 'conditions').find((one) => one['type'] === type);
}

/** The versions of a definition. */
export function versionsOf(definition: unknown): JsonRecord[] {
  return recordsAt(definition, 'spec', 'versions');
}

/** The version in which objects are stored. */
export function storageVersionOf(definition: unknown): JsonRecord | undefined {
  return versionsOf(definition).find((one) => one['storage'] === true);
}

/** Whether a condition of the definition is True. */
export function hasCondition(definition: unknown, type: string): boolean {
  const conditions = recordsAt(definition, 'status', 'conditions');
  return conditions.some((one) => one['type'] === type && one['status'] === 'True');
}

/** A condition without its time. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Sets a condition; its time changes only with its status. Replaces the status object, which may be shared. */
export function setCondition(
  definition: MutableObject,
  condition: DefinitionCondition,
  now: string,
): void {
  const others = recordsAt(definition, 'status', 'conditions');
  const before = others.find((one) => one['type'] === condition.type);
  const lastTransitionTime =
    before?.['status'] === condition.status ? before['lastTransitionTime'] : now;
  const { type, status, reason, message } = condition;
  const next = { type, status, lastTransitionTime, reason, message };
  const conditions =
    before === undefined
      ? [...others, next]
      : others.map((one) => (one['type'] === condition.type ? next : one));
  definition['status'] = { ...recordAt(definition, 'status'), conditions };
}
