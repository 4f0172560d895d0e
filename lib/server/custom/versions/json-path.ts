import { isRecord, type JsonRecord } from '../../../meta/json-value.ts';

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'all' }
  | { readonly type: 'filter'; readonly path: readonly Step[]; readonly equals: string };

/** Returns the values at a path, in order. */
export type JsonPath = (value: unknown) => readonly unknown[];

const TOKEN =
  /\.((?:\\.|[^.[\]\\])+)|\[(?:(-?\d+)|(\*)|'([^']*)'|"([^"]*)"|\?\(@([^=)]+?)\s*==\s*(?:"([^"]*)"|'([^']*)'|([^)]*?))\s*\))\]/y;

/** Maximum length; paths are written by hand. */
const LONGEST_PATH = 1000;

/**
 * Compiles the JSONPath of printer columns and selectable fields: `.spec.replicas`, `.metadata.labels.app\.io/name`,
 * `['a.b']`, `[0]`, `[-1]`, `[*]` and `[?(@.type=="Ready")]`.
 * @returns undefined when the text has another form.
 */
export function compileJsonPath(text: string): JsonPath | undefined {
  const steps = parseSteps(text);
  if (steps === undefined) return undefined;
  return (value) => steps.reduce((found, step) => follow(found, step), [value] as unknown[]);
}

function parseSteps(text: string): Step[] | undefined {
  if (text.length > LONGEST_PATH) return undefined;
  const steps: Step[] = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const step = match === null ? undefined : stepOf(match);
    if (match === null || step === undefined) return undefined;
    steps.push(step);
    at += match[0].length;
  }
  return steps;
}

function stepOf(match: RegExpExecArray): Step | undefined {
  const [, field, index, all, single, double, filter, ...values] = match;
  if (field !== undefined) return { type: 'field', name: field.replaceAll(/\\(.)/g, '$1') };
  if (index !== undefined) return { type: 'index', index: Number.parseInt(index, 10) };
  if (all !== undefined) return { type: 'all' };
  const name = single ?? double;
  if (name !== undefined) return { type: 'field', name };
  const path = filter === undefined ? undefined : parseSteps(filter.trim());
  const equals = values.find((one) => one !== undefined);
  return path === undefined || equals === undefined ? undefined : { type: 'filter', path, equals };
}

function follow(values: readonly unknown[], step: Step): unknown[] {
  return values.flatMap((value): unknown[] => {
    switch (step.type) {
      case 'field':
        return ownField(value, step.name);
      case 'index':
        return Array.isArray(value) ? itemAt(value, step.index) : [];
      case 'all':
        return childrenOf(value);
      case 'filter':
        return childrenOf(value).filter((one) => {
          const found = step.path.reduce<unknown[]>((all, inner) => follow(all, inner), [one]);
          return found.some((item) => String(item) === step.equals);
        });
    }
  });
}

function ownField(value: unknown, name: string): unknown[] {
  return isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function itemAt(items: readonly unknown[], index: number): unknown[] {
  const item = items.at(index);
  return item === undefined ? [] : [item];
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isRecord(value) ? Object.values(value satisfies JsonRecord) : [];
}
