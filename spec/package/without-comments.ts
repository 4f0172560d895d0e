import { parseSync } from 'oxc-parser';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The source with spaces in place of its comments and of its declarations of types; code stays in its line and column. */
export function withoutComments(source: string): string {
  const { comments, program } = parseSync('source.ts', source);
  const types = program.body.filter(isTypeOnly);
  const blanked: readonly Range[] = [...comments, ...types].toSorted((a, b) => a.start - b.start);
  let text = '';
  let at = 0;
  for (const { start, end } of blanked) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    text += source.slice(at, from) + source.slice(from, end).replaceAll(/[^\n]/g, ' ');
    at = end;
  }
  return (text + source.slice(at)).replaceAll(/[ \t]+$/gm, '');
}

type Statement = ReturnType<typeof parseSync>['program']['body'][number];

/** No program is made of these, so that no place in it points to them. */
function isTypeOnly(statement: Statement): boolean {
  switch (statement.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return true;
    case 'ImportDeclaration':
      return statement.importKind === 'type';
    case 'ExportNamedDeclaration':
      return statement.declaration !== null && isTypeOnly(statement.declaration);
    default:
      return false;
  }
}

/**
 * Modules without their text in the maps: those of other packages, those that hold nothing but data, which the program has as well, the conformance suites, the
 * embedded server, the controllers of a cluster in it, the simulator, the tools for specs, the command line, the inspector, the recorder, what reads kubeconfigs
 * and credentials, transports, the scanners of JSON, the checks of fields, and what stands beside the path of an event: waits, helpers of
 * controllers, events, election, sharding, webhooks, definitions, the codec of protobuf. Places in them still have their file and line;
 * traces through caches, requests and reconciles show their source as before.
 */
const WITHOUT_TEXT =
  /-data\.ts$|node_modules\/|meta\/types\/tables\/|(?:column|resource)-text\.ts$|lib\/(?:cli|cluster|conformance|inspector|kinds|server|simulator|testing|client\/(?:config|transport)|cache\/wait|controller\/(?:definition|election|events|helpers|sharding|webhook)|recorder|meta\/(?:fields|json|protobuf))\//;

/** The source of a module as the source maps have it. */
export function sourceInMap(path: string, source: string): string {
  return WITHOUT_TEXT.test(path) ? '' : withoutComments(source);
}
