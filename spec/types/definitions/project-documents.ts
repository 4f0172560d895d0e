import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, visit, isCollection, type Tags } from 'yaml';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { YAML_1_1_TAGS } from '../../../lib/meta/manifests/yaml-1-1-tags.ts';
import { isRecord } from '../../compare/normalise.ts';

/** A document of a file that looks like an object of Kubernetes: only its first lines were looked at. */
export interface ProjectDocument extends DocumentRange {
  readonly file: string;
  /** The file, and the line on which the document begins. */
  readonly place: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The first name that is written like that of a definition, `plural.group`. */
  readonly dottedName: string;
}

interface DocumentRange {
  readonly start: number;
  readonly end: number;
  /** The beginning of its lines: it is that of a block of YAML in Markdown. */
  readonly indentation: string;
}

/** A document, read; or why it is none. */
export type ReadDocument =
  | { readonly object: Record<string, unknown> }
  | { readonly unreadable: string };

const FILES = /(?:\.ya?ml|\.json|\.md|_test\.go)$/;
const FENCED = /^([ \t]*)```ya?ml[^\n]*\n([\s\S]*?)^[ \t]*```/gm;
/** Comments and texts of Go. The first group is what is between backquotes. */
const GO_TEXTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`([^`]*)`/g;
const SEPARATOR = /^[ \t]*---(?:[ \t].*)?(?:\r?\n|$)/gm;
const API_VERSION =
  /^(?:apiVersion| {0,4}"apiVersion"):[ \t]*["']?([\w./-]+)["']?,?[ \t]*(?:#.*)?$/m;
const KIND = /^(?:kind| {0,4}"kind"):[ \t]*["']?(\w+)["']?,?[ \t]*(?:#.*)?$/m;
/** The head of an object in JSON on one line. */
const COMPACT = /^\s*\{"apiVersion":"([\w./-]+)","kind":"(\w+)",/;
const DOTTED = /^[ \t]+"?name"?:[ \t]*["']?([a-z0-9-]+(?:\.[a-z0-9-]+)+)["']?,?[ \t]*$/m;

/** The files below a folder that can have objects: YAML, JSON, Markdown for its blocks of YAML, and tests in Go for their raw texts. */
export function projectFiles(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && FILES.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/(?:^|\/)(?:\.git|node_modules)\//.test(file))
    .toSorted();
}

/** The documents of a file which say what they are. It is not parsed: projects have 10,000s of files. */
export function documentsOf(file: string): ProjectDocument[] {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('apiVersion')) return [];
  const documents: ProjectDocument[] = [];
  for (const range of rangesOf(file, text)) {
    const part = partOf(text, range);
    const [, apiVersion, kind] = COMPACT.exec(part) ?? [
      '',
      API_VERSION.exec(part)?.[1],
      KIND.exec(part)?.[1],
    ];
    if (apiVersion === undefined || kind === undefined) continue;
    const line = text.slice(0, range.start).split('\n').length;
    const [, dottedName = ''] = DOTTED.exec(part) ?? [];
    documents.push({ ...range, file, place: `${file}:${line}`, apiVersion, kind, dottedName });
  }
  return documents;
}

/** The text of a document, without the indentation of a block in a list. */
export function textOfDocument(document: ProjectDocument): string {
  return partOf(readFileSync(document.file, 'utf8'), document);
}

function partOf(text: string, { start, end, indentation }: DocumentRange): string {
  const part = text.slice(start, end);
  return indentation === '' ? part : part.replaceAll(`\n${indentation}`, '\n').trimStart();
}

/** Where the documents of a file begin and end. */
function* rangesOf(file: string, text: string): Generator<DocumentRange> {
  if (file.endsWith('.go')) {
    for (const { 1: raw = '', index } of text.matchAll(GO_TEXTS)) {
      yield* documentRanges(raw, index + 1, '');
    }
    return;
  }
  if (!file.endsWith('.md')) {
    yield* documentRanges(text, 0, '');
    return;
  }
  for (const { 1: indentation = '', 2: block = '', index, 0: whole } of text.matchAll(FENCED)) {
    yield* documentRanges(block, index + whole.indexOf('\n') + 1, indentation);
  }
}

function* documentRanges(
  text: string,
  offset: number,
  indentation: string,
): Generator<DocumentRange> {
  let start = 0;
  for (const { index, 0: separator } of text.matchAll(SEPARATOR)) {
    if (index > start) yield { start: offset + start, end: offset + index, indentation };
    start = index + separator.length;
  }
  if (start < text.length) yield { start: offset + start, end: offset + text.length, indentation };
}

/**
 * Reads a document by the rules of kubectl. Templates are no objects: `{{ ... }}` where a value is would be a mapping with a mapping for
 * its key. Within a text, quoted or not, it belongs to the text: policies and alerts have variables of their own.
 */
export function parseObject(text: string): ReadDocument {
  const document = parseDocument(text, {
    schema: 'core',
    customTags: (tags: Tags): Tags => [...YAML_1_1_TAGS, ...tags],
    merge: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [mistake] = document.errors;
  if (mistake !== undefined) {
    const what = text.includes('{{') ? 'a template, or no YAML' : 'no YAML';
    return { unreadable: `${what}: ${oneLine(mistake.message)}` };
  }
  let template = false;
  visit(document, {
    Pair: (_, { key }) => {
      template ||= isCollection(key);
      return template ? visit.BREAK : undefined;
    },
  });
  if (template) return { unreadable: 'a template' };
  try {
    const object: unknown = document.toJS({ maxAliasCount: 1000 });
    return isRecord(object) ? { object } : { unreadable: 'no object' };
  } catch (error) {
    return { unreadable: `no YAML: ${oneLine(errorMessage(error))}` };
  }
}

function oneLine(message: string): string {
  return message.split('\n')[0] as string;
}
