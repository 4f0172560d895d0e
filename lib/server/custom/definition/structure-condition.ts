import { recordAt, textAt } from '../../../meta/json-value.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { FinishWrite } from '../../registry/contract/store-hooks.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import { versionsOf, type DefinitionCondition } from './custom-resource-definition.ts';
import { structuralCauses, unsupportedMember } from './structure/structural-rules.ts';

/** The type of the condition that a definition has while one of its schemas is not structural. */
export const NON_STRUCTURAL = 'NonStructuralSchema';

/**
 * The condition of a definition with a schema that is not structural; undefined if all of them are.
 * @see apiextensions-apiserver pkg/controller/nonstructuralschema/nonstructuralschema_controller.go @ v0.36.3
 */
function structureCondition(definition: unknown): DefinitionCondition | undefined {
  const type = NON_STRUCTURAL;
  const problems: string[] = [];
  if (recordAt(definition, 'spec')?.['preserveUnknownFields'] === true) {
    problems.push('spec.preserveUnknownFields: Invalid value: true: must be false');
  }
  for (const [index, version] of versionsOf(definition).entries()) {
    const schema = recordAt(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) continue;
    const unsupported = unsupportedMember(schema);
    if (unsupported !== undefined) {
      const reason = 'StructuralError';
      const message = `failed to check validation schema for version ${textAt(version, 'name')}: ${unsupported}`;
      return { type, status: 'Unknown', reason, message };
    }
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    for (const { field, message } of structuralCauses(schema, path)) {
      problems.push(`${field}: ${message}`);
    }
  }
  if (problems.length === 0) return undefined;
  const message = problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`;
  return { type, status: 'True', reason: 'Violations', message };
}

/**
 * Checks the schemas of each `spec` once: its definition is looked at again whenever its status changes. Those of a definition that is
 * created here are structural, or it was refused.
 */
export class StructureChecks {
  readonly #found = new WeakMap<object, { readonly condition: DefinitionCondition | undefined }>();
  /** The uids of definitions that are created, until they are looked at. */
  readonly #created = new Set<unknown>();

  /** Notes that a valid definition is about to be created. */
  readonly beginCreate = ({ metadata: { uid } }: MutableObject): FinishWrite => {
    this.#created.add(uid);
    return (success) => {
      if (!success) this.#created.delete(uid);
    };
  };

  of(definition: UnstructuredObject): DefinitionCondition | undefined {
    const spec = recordAt(definition, 'spec');
    if (spec === undefined) return undefined;
    let found = this.#found.get(spec);
    if (found === undefined) {
      const isValid = this.#created.has(definition.metadata?.uid) && isFirst(definition);
      found = { condition: isValid ? undefined : structureCondition(definition) };
      this.#found.set(spec, found);
      this.forget(definition);
    }
    return found.condition;
  }

  forget({ metadata }: UnstructuredObject): void {
    this.#created.delete(metadata?.uid);
  }
}

/** An update may keep a schema that is not structural. */
function isFirst({ metadata }: UnstructuredObject): boolean {
  return metadata?.generation === 1;
}
