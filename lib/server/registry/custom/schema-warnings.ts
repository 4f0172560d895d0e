import { isRecord, textAt } from '../rules/json-value.ts';
import { compilePattern } from './pattern.ts';

/** Maximum number of warnings for one definition. */
const MOST_WARNINGS = 10;

/** Lists the rules of a schema that this server does not enforce, so that users do not rely on them. */
export function schemaWarnings(schema: unknown, field: string): string[] {
  const warnings: string[] = [];
  const pending: [unknown, string][] = [[schema, field]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, at] = next;
    if (!isRecord(node) || warnings.length >= MOST_WARNINGS) continue;
    if (Array.isArray(node['x-kubernetes-validations'])) {
      warnings.push(`${at}.x-kubernetes-validations: CEL rules are not evaluated by this server`);
    }
    const pattern = textAt(node, 'pattern');
    if (pattern !== '' && compilePattern(pattern) === undefined) {
      warnings.push(`${at}.pattern: ${JSON.stringify(pattern)} cannot be checked by this server`);
    }
    for (const name of ['items', 'additionalProperties'])
      pending.push([node[name], `${at}.${name}`]);
    if (isRecord(node['properties'])) {
      for (const [name, property] of Object.entries(node['properties'])) {
        pending.push([property, `${at}.properties[${name}]`]);
      }
    }
  }
  return warnings;
}
