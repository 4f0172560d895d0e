/** Keywords of a schema, or properties, by name. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list of a keyword; empty without one. */
export function listAt(schema: Fields, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

/** The object of a keyword; empty without one. */
export function fieldsAt(schema: Fields, keyword: string): Fields {
  const fields = schema[keyword];
  return isFields(fields) ? fields : {};
}

export function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

/** By content; the order of fields does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isFields(one) || !isFields(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}
