import { isRecord } from '../../compare/normalise.ts';
import { recordOf } from '../../definitions/draw-object.ts';
import { parseObject, type ReadDocument } from './project-documents.ts';

/** Stands for what an action of a template would write. No manifest has it. */
const MARK = 'xPLACEHOLDERx';
const ACTION = /(\s*)\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}(\s*)/g;
const SECTION = /^(?:if|range|with|define|block)\b/;
/** Comments, and what sets a variable: they write nothing. */
const SILENT = /^(?:\/\*|\$\w+\s*:?=)/;

/** A placeholder where the schema has an object or a list: only the values of a chart say what belongs there. */
class NoScalar extends Error {}

/**
 * The object of a Go template, without its values. What an action writes where a value is becomes a value of the schema's type: the first of
 * an enum, the least number that is allowed, `true`, or a text. Sections (`if`, `range`, `with`) are left out, as for values that are not
 * set; of those with an `else`, that is kept.
 */
export function renderTemplate(
  text: string,
  schemaOf: (apiVersion: unknown) => unknown,
): ReadDocument {
  const marked = withMarks(text);
  if (marked === undefined) return { unreadable: 'a template: a section without an end' };
  const read = parseObject(marked);
  if ('unreadable' in read) return { unreadable: `a template: ${read.unreadable}` };
  try {
    return { object: recordOf(filled(schemaOf(read.object['apiVersion']), read.object)) };
  } catch (error) {
    if (error instanceof NoScalar) return { unreadable: 'a template' };
    throw error;
  }
}

/** The text without sections, with marks for what actions write. */
function withMarks(text: string): string | undefined {
  const open: boolean[] = [];
  let out = '';
  let end = 0;
  for (const { index, 0: whole, 1: before, 2: trims, 3: action, 4: cuts, 5: after } of matches(
    text,
  )) {
    const kept = open.every(Boolean);
    if (kept) out += text.slice(end, index) + (trims === '-' ? '' : before);
    end = index + whole.length;
    if (SECTION.test(action)) open.push(false);
    else if (action === 'end') {
      if (open.pop() === undefined) return undefined;
    } else if (/^else\b/.test(action)) open[open.length - 1] = action === 'else';
    else if (kept && !SILENT.test(action)) out += MARK;
    // What is before the next action belongs to it.
    if (cuts !== '-') end -= after.length;
  }
  return open.length > 0 ? undefined : out + text.slice(end);
}

type Match = { readonly index: number } & readonly [string, string, string, string, string, string];

function matches(text: string): Iterable<Match> {
  return text.matchAll(ACTION) as Iterable<Match>;
}

/** A value in which marks are replaced. */
function filled(schema: unknown, value: unknown): unknown {
  if (value === MARK) return scalarOf(recordOf(schema));
  if (typeof value === 'string') return value.replaceAll(MARK, 'x');
  const { properties, items, additionalProperties } = recordOf(schema);
  if (Array.isArray(value)) return value.map((one: unknown) => filled(items, one));
  if (!isRecord(value)) return value;
  const known = recordOf(properties);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(MARK, 'x'),
      filled(Object.hasOwn(known, name) ? known[name] : additionalProperties, inner),
    ]),
  );
}

function scalarOf(schema: Record<string, unknown>): unknown {
  const { type, enum: choices, minimum } = schema;
  if (Array.isArray(choices)) return choices[0] as unknown;
  if (type === 'object' || type === 'array') throw new NoScalar();
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  return type === 'boolean' ? true : 'x';
}
