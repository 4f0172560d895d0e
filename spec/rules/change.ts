/**
 * Values by their paths; `undefined` removes what is there. A path is written like the field of a cause:
 * `spec.ports[0].port`, `metadata.labels["example.com/a"]`; `spec.ports[-]` appends.
 */
export type Change = Readonly<Record<string, unknown>>;

const STEP = /\.?([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+|-)\]/gy;

/** Members and places of a path. */
export function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  let end = 0;
  STEP.lastIndex = 0;
  for (let match = STEP.exec(path); match !== null; match = STEP.exec(path)) {
    const [all, member, quoted, place] = match;
    end += all.length;
    if (place !== undefined) steps.push(place === '-' ? '-' : Number(place));
    else steps.push(member ?? (JSON.parse(`"${quoted}"`) as string));
  }
  if (end !== path.length || steps.length === 0) throw new Error(`this is no path: ${path}`);
  return steps;
}

/** A copy of the object with the change. Objects on the way to a new member are made. */
export function withChange(
  object: Readonly<Record<string, unknown>>,
  change: Change,
): Record<string, unknown> {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const [path, value] of Object.entries(change))
    setAt(copy, stepsOf(path), structuredClone(value));
  return copy;
}

function setAt(root: object, steps: readonly (string | number)[], value: unknown): void {
  let at = root as Record<string | number, unknown>;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    at[step] ??= typeof steps[index + 1] === 'number' || steps[index + 1] === '-' ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  }
  const last = steps.at(-1) as string | number;
  if (Array.isArray(at)) {
    if (last === '-') at.push(value);
    else if (value === undefined) at.splice(Number(last), 1);
    else at[Number(last)] = value;
  } else if (value === undefined) delete at[last];
  else at[last] = value;
}

export interface PatchOperation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** The change as a JSON patch. An object on the way has to exist. `add` replaces a member, and inserts into a list, so that an item is removed first. */
export function patchOf(change: Change): readonly PatchOperation[] {
  return Object.entries(change).flatMap(([path, value]): readonly PatchOperation[] => {
    const steps = stepsOf(path);
    const pointer = steps
      .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
    if (value === undefined) return [{ op: 'remove', path: pointer }];
    const add: PatchOperation = { op: 'add', path: pointer, value };
    return typeof steps.at(-1) === 'number' ? [{ op: 'remove', path: pointer }, add] : [add];
  });
}
