import { recordAt, textAt } from '../../../meta/json-value.ts';
import { isSupportedFormat } from '../schema/text-formats.ts';
import { versionsOf } from './custom-resource-definition.ts';
import { commonMembers } from './common-members.ts';
import { someSchema } from './structure/schema-walk.ts';

/**
 * The warnings of a write of a definition: formats that are not checked, in the words of API servers, and rules in CEL, which are
 * stored without being enforced.
 * Warnings of the stored definition are not sent again.
 */
export function definitionWarnings(definition: unknown, existing?: unknown): string[] {
  const known = new Set(unknownFormats(existing));
  const warnings = unknownFormats(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  if (hasRules(definition)) {
    warnings.push(
      'x-kubernetes-validations: rules in CEL are stored, but not enforced by this server',
    );
  }
  return warnings;
}

function schemasOf(definition: unknown): (Record<string, unknown> | undefined)[] {
  const versions = versionsOf(definition);
  const schemas = versions.map((version) => recordAt(version, 'schema', 'openAPIV3Schema'));
  return commonMembers(versions).schema ? schemas.slice(0, 1) : schemas;
}

function unknownFormats(definition: unknown): string[] {
  const formats: string[] = [];
  for (const schema of schemasOf(definition)) {
    someSchema(schema, (one) => {
      const format = textAt(one, 'format');
      if (format !== '' && !isSupportedFormat(format, [textAt(one, 'type')])) formats.push(format);
      return false;
    });
  }
  return formats;
}

function hasRules(definition: unknown): boolean {
  return schemasOf(definition).some((schema) =>
    someSchema(schema, (one) => Array.isArray(one['x-kubernetes-validations'])),
  );
}
