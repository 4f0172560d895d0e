/** An operation of a JSON patch. @see RFC 6902 */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON patch that makes `after` of `before`; both are values of JSON. What both have stays untouched, so that a number that
 * JavaScript cannot hold is not rounded by a change beside it. Items of lists are compared by their places, after the equal ones at both
 * ends.
 */
export function objectDifference(before: unknown, after: unknown): PatchOperation[] {
  const operations: PatchOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

type Fields = Readonly<Record<string, unknown>>;

function compare(before: unknown, after: unknown, path: string, into: PatchOperation[]): void {
  if (Object.is(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, into);
  else if (isFields(before) && isFields(after)) compareFields(before, after, path, into);
  else into.push({ op: 'replace', path, value: after });
}

function compareFields(before: Fields, after: Fields, path: string, into: PatchOperation[]): void {
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) into.push({ op: 'remove', path: childPath(path, name) });
  }
  for (const [name, value] of Object.entries(after)) {
    const place = childPath(path, name);
    if (Object.hasOwn(before, name)) compare(before[name], value, place, into);
    else into.push({ op: 'add', path: place, value });
  }
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  into: PatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isEqual(before[start], after[start])) start += 1;
  let same = 0;
  while (same < shorter - start && isEqual(before.at(-1 - same), after.at(-1 - same))) same += 1;
  const [beforeEnd, afterEnd] = [before.length - same, after.length - same];
  const both = Math.min(beforeEnd, afterEnd);
  for (let at = start; at < both; at += 1) compare(before[at], after[at], `${path}/${at}`, into);
  // From the end, because each removal moves the items behind it.
  for (let at = beforeEnd - 1; at >= both; at -= 1)
    into.push({ op: 'remove', path: `${path}/${at}` });
  for (let at = both; at < afterEnd; at += 1) {
    into.push({ op: 'add', path: `${path}/${at}`, value: after[at] });
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  const found: PatchOperation[] = [];
  compare(one, other, '', found);
  return found.length === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function childPath(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
