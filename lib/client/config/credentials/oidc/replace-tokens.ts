import type * as YamlModule from 'yaml';
import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import { isDeepStrictEqual } from 'node:util';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { RefreshedTokens } from './oidc-options.ts';

export interface ReplaceTokensOptions {
  /** The text of the kubeconfig. */
  readonly text: string;
  /** Its path, for messages. */
  readonly path: string;
  /** The name of the user whose tokens are replaced. */
  readonly user: string;
  readonly tokens: RefreshedTokens;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Yaml = typeof YamlModule;

/** Nested aliases could expand a small file to a huge one. */
const ALIASES = { maxAliasCount: 100 };

/**
 * The text with the tokens of a user replaced. Every other character stays, comments and indentation included.
 * @throws {ListwatchError} code CONFIG_INVALID if there is no such user, or if another program has replaced the refresh token.
 */
export async function replaceTokens(options: ReplaceTokensOptions): Promise<string> {
  const { text, path, tokens } = options;
  const yaml = await import('yaml');
  const quiet = { prettyErrors: false, logLevel: 'silent' } as const;
  const document = yaml.parseDocument(text, quiet);
  if (document.errors.length > 0) throw invalid(path, 'it is not YAML; it was not changed');
  const config = configOf(yaml, document, options);
  if (config.get('refresh-token') !== tokens.usedRefreshToken) {
    const problem = 'another program has replaced the refresh-token; it was not changed';
    throw invalid(path, `the user ${options.user}: ${problem}`);
  }
  const wanted = { 'id-token': tokens.idToken, 'refresh-token': tokens.refreshToken };
  const edits = Object.entries(wanted).map(([key, value]) =>
    editOf({ yaml, text, config }, key, JSON.stringify(value)),
  );
  const edited = edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((result, { start, end, text: with_ }) => {
      return result.slice(0, start) + with_ + result.slice(end);
    }, text);
  for (const [key, value] of Object.entries(wanted)) config.set(key, value);
  const check = yaml.parseDocument(edited, quiet);
  const isRight =
    check.errors.length === 0 && isDeepStrictEqual(check.toJS(ALIASES), document.toJS(ALIASES));
  if (!isRight) throw invalid(path, 'its layout cannot be edited; write the tokens in plain lines');
  return edited;
}

function configOf(yaml: Yaml, document: Document, { path, user }: ReplaceTokensOptions): YAMLMap {
  const users = document.get('users');
  const entry = yaml.isSeq(users)
    ? users.items.find((item) => yaml.isMap(item) && item.get('name') === user)
    : undefined;
  const config = yaml.isMap(entry)
    ? entry.getIn(['user', 'auth-provider', 'config'], true)
    : undefined;
  if (yaml.isMap(config)) return config;
  throw invalid(path, `there is no user ${user} with an auth-provider any more`);
}

interface Place {
  readonly yaml: Yaml;
  readonly text: string;
  readonly config: YAMLMap;
}

function editOf({ yaml, text, config }: Place, key: string, value: string): Edit {
  const pair = config.items.find((one) => yaml.isScalar(one.key) && one.key.value === key);
  if (pair === undefined) return insertion({ yaml, text, config }, key, value);
  const node = pair.value;
  const range = yaml.isScalar(node) ? node.range : undefined;
  if (range === undefined || range === null) return { start: 0, end: 0, text: '' };
  const [start, end] = range;
  // An absent value begins right behind the colon; that of a block has its line break.
  const before = text[start - 1] === ':' ? ' ' : '';
  const after = text[end - 1] === '\n' && end > start ? '\n' : '';
  return { start, end, text: before + value + after };
}

/** Puts a field before the first one. */
function insertion({ text, config }: Place, key: string, value: string): Edit {
  const [first] = config.items as Pair<Scalar>[];
  const start = first?.key.range?.[0] ?? 0;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const separator = config.flow === true ? ', ' : `\n${' '.repeat(start - lineStart)}`;
  return { start, end: start, text: `${key}: ${value}${separator}` };
}

function invalid(path: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${path}: ${problem}`);
}
