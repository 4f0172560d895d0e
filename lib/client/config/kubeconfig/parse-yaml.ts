import type { Document, LineCounter, ParsedNode } from 'yaml';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { KubeconfigField, type ConfigOrigin, type ConfigPath } from './kubeconfig-field.ts';

/** Maximum number of aliases; nested aliases could expand a small file to a huge one. */
const MOST_ALIASES = 100;

/** Maximum nesting of brackets. The parser needs time and stack for each level; a kubeconfig has about ten. */
const DEEPEST_NESTING = 200;

/**
 * Parses a configuration file in YAML, of which JSON is a part. An empty text is a field without value.
 * @throws {ListwatchError} code CONFIG_INVALID with file and line, if it is not one YAML document without loops. The message does
 * not quote the text, which may contain credentials.
 */
export async function parseYaml(text: string, origin: ConfigOrigin): Promise<KubeconfigField> {
  if (isNestedTooDeep(text)) throw invalid(origin.name, 'it is nested too deeply');
  // Loaded here, because most programs run in a cluster and read no kubeconfig.
  const { isNode, isScalar, LineCounter, parseAllDocuments } = await import('yaml');
  const lines = new LineCounter();
  // The `prettyErrors` of the parser quote the file, and its log would show the text of tags.
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    merge: true,
  });
  for (const { errors } of documents) {
    for (const error of errors) throw notYaml(origin, lines, error);
  }
  const [document, second] = documents.filter(
    ({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null),
  );
  if (second?.contents) {
    const line = lines.linePos(second.contents.range[0]).line;
    throw invalid(`${origin.name}:${line}`, MANY_DOCUMENTS);
  }
  if (document === undefined) return new KubeconfigField(origin, [], undefined);
  const lineOf = (path: ConfigPath): number | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  };
  return new KubeconfigField({ ...origin, lineOf }, [], plainValue(document, origin.name));
}

const MANY_DOCUMENTS =
  'a second YAML document begins here; keep one, or make two files and list both in KUBECONFIG';

function plainValue(document: Document<ParsedNode>, name: string): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const problem = error.message.startsWith('Unresolved alias')
      ? 'it has an alias (*name) whose anchor (&name) does not come before it'
      : `its aliases (*name) expand to more than ${MOST_ALIASES} copies; write the values out`;
    throw invalid(name, problem);
  }
  if (containsItself(value, new Set(), new Set())) {
    throw invalid(name, 'it has an anchor (&name) that contains an alias (*name) of itself');
  }
  return value;
}

/** A loop of anchors comes out of the parser as an object that contains itself. */
function containsItself(value: unknown, parents: Set<object>, checked: Set<object>): boolean {
  if (typeof value !== 'object' || value === null || checked.has(value)) return false;
  if (parents.has(value)) return true;
  parents.add(value);
  const found = Object.values(value).some((one) => containsItself(one, parents, checked));
  parents.delete(value);
  checked.add(value);
  return found;
}

const REASONS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
  DUPLICATE_KEY: 'a mapping has two fields of this name; remove one',
  BAD_INDENT: 'the indentation is wrong',
};

function notYaml(
  origin: ConfigOrigin,
  lines: LineCounter,
  error: { readonly code: string; readonly pos: readonly [number, number] },
): ListwatchError {
  const { line } = lines.linePos(error.pos[0]);
  const reason = REASONS[error.code] ?? error.code.toLowerCase().replaceAll('_', ' ');
  return invalid(`${origin.name}:${line}`, `it is not YAML: ${reason}; correct it`);
}

/** Counts brackets without regard to quotes: more of them than this in a text are as unlikely as in a structure. */
function isNestedTooDeep(text: string): boolean {
  // Nested complex keys (`? ? ?`) take the parser exponential time.
  if (/(?:\?[\s-]+){8}/.test(text)) return true;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > DEEPEST_NESTING) return true;
  }
  return false;
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}
