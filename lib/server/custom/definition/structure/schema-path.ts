import { recordAt, textAt, type JsonRecord } from '../../../../meta/json-value.ts';
import { propertiesOf } from './schema-walk.ts';

const TOKEN = /'(?:[^\\]|\\.)*?'|[.[\]]|[^.[\]]+/y;

/** The schema that a path leads to, or why there is none. */
export type FoundSchema =
  | { readonly schema: JsonRecord; readonly steps: readonly string[] }
  | { readonly problem: string };

/**
 * Follows a path through a schema: `.spec.name`, `.labels['a.b']`.
 * @see apiextensions-apiserver pkg/apiserver/schema/cel/validation.go ValidFieldPath @ v0.36.3
 */
export function schemaAt(root: JsonRecord, path: string, allowsBrackets: boolean): FoundSchema {
  const tokens = tokensOf(path);
  const steps: string[] = [];
  let schema: JsonRecord | undefined = root;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string;
    let name = tokens[at + 1];
    if (token === '[') {
      if (!allowsBrackets) return { problem: 'array notation is not allowed' };
      if (name === undefined) return { problem: 'unexpected end of JSON path' };
      if (!/^'.*'$/s.test(name) || name.length < 2) {
        return { problem: `expected single quoted string but got ${name}` };
      }
      name = name.slice(1, -1).replaceAll(/\\(['\\])/g, '$1');
    } else if (token !== '.') return { problem: `expected [ or . but got: ${token}` };
    else if (name === undefined) return { problem: 'unexpected end of JSON path' };
    schema = memberSchema(schema, name);
    if (schema === undefined) return { problem: 'does not refer to a valid field' };
    steps.push(name);
    at += 1;
    if (token !== '[') continue;
    const end = tokens[at + 1];
    if (end === undefined) return { problem: 'unexpected end of JSON path' };
    if (end !== ']') return { problem: `expected ] but got ${end}` };
    at += 1;
  }
  return { schema, steps };
}

function memberSchema(schema: JsonRecord, name: string): JsonRecord | undefined {
  if (propertiesOf(schema).length > 0) return recordAt(schema, 'properties', name);
  return recordAt(schema, 'additionalProperties');
}

function tokensOf(path: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(path); match !== null; match = TOKEN.exec(path)) {
    tokens.push(match[0]);
  }
  return tokens;
}

/** Whether values of a schema can be compared with the text of a selector. */
export function isSelectable(schema: JsonRecord): boolean {
  return ['string', 'boolean', 'integer'].includes(textAt(schema, 'type'));
}
