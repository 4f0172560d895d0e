/** The JSON of a union, from the JSON of its message: the value of one of its fields, or null. */
export function unionValue(name: string, fields: Readonly<Record<string, unknown>>): unknown {
  const { schema = null } = fields;
  if (name.endsWith('OrBool')) return schema ?? fields['allows'] ?? false;
  return fields['jSONSchemas'] ?? fields['property'] ?? schema;
}

/** The message of a union, from its JSON. @throws {RangeError} for JSON of another type. */
export function unionFields(name: string, value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (name.endsWith('OrBool')) {
    if (isObject) return { allows: true, schema: value };
    if (typeof value === 'boolean') return { allows: value };
    throw new RangeError('it is neither a boolean nor a schema');
  }
  if (isObject) return { schema: value };
  if (!Array.isArray(value)) return {};
  return name.endsWith('OrStringArray') ? { property: value } : { jSONSchemas: value };
}
