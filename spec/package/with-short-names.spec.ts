import { decode } from '@jridgewell/sourcemap-codec';
import { SourceMap } from 'node:module';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { namesOfFunctions, withShortNames } from './with-short-names.ts';

const SOURCE = `
const uppermost = 'text';
const helper = () => uppermost;
export class Reader {
  read(fragment: string): string {
    const described = \`<\${fragment}>\`;
    const refuse = (reason: string): never => {
      throw new Error(reason + described);
    };
    return fragment === '' ? this.#refuse(() => refuse('empty ')) : described;
  }
  #refusals = 0;
  #refuse(refusal: () => never): never {
    this.#refusals += 1;
    return refusal();
  }
}
export function nested(outermost = (given: number) => given): string[] {
  const Local = class {};
  let assigned;
  assigned = () => outermost(1);
  function declared(): void {}
  return [Local, assigned, declared, helper].map((anything) => anything.name);
}
`;

interface Module {
  readonly Reader: new () => { read(fragment: string): string };
  nested(): string[];
}

async function shortened(): Promise<{ code: string; map: string }> {
  const options = { loader: 'ts', sourcefile: 'reader.ts', sourcemap: true } as const;
  return await withShortNames(
    await transform(SOURCE, { ...options, minifyWhitespace: true, format: 'esm' }),
  );
}

async function imported(code: string): Promise<Module> {
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Module;
}

describe('programs with short names', () => {
  it('have no long names of parameters and variables, and work as before', async () => {
    const { code } = await shortened();
    expect(code).to.not.match(/fragment|described|reason|given|anything|uppermost/);
    const { Reader } = await imported(code);
    expect(new Reader().read('text')).to.equal('<text>');
  });

  it('keep the names of functions and classes, also of those that take the name of their variable', async () => {
    const module = await imported((await shortened()).code);
    expect(module.nested()).to.deep.equal(['Local', 'assigned', 'declared', 'helper']);
    const { code } = await transform(SOURCE, { loader: 'ts' });
    expect([...namesOfFunctions(code)])
      // In the order of the source.
      .to.deep.equal(['helper', 'refuse', 'outermost', 'Local', 'assigned']);
  });

  it('show the functions of a trace by name, and its places at their lines and columns in the source', async () => {
    const { code, map } = await shortened();
    const { Reader } = await imported(code);
    let stack = '';
    try {
      new Reader().read('');
    } catch (error) {
      stack = String((error as Error).stack);
    }
    const frames = [...stack.matchAll(/at (?:new )?([\w.#]+) \(data:.*?:(\d+):(\d+)\)$/gm)];
    const sourceMap = new SourceMap(JSON.parse(map) as never);
    const places = frames.map(([, name, line, column]) => {
      const { originalLine, originalColumn } = sourceMap.findEntry(
        Number(line) - 1,
        Number(column) - 1,
      ) as { originalLine: number; originalColumn: number };
      return `${name} ${SOURCE.split('\n')[originalLine]?.slice(originalColumn)}`;
    });
    expect(places).to.deep.equal([
      'refuse new Error(reason + described);',
      '#refuse refusal();',
      "Reader.read #refuse(() => refuse('empty ')) : described;",
    ]);
  });

  it('have the name of the source in the map where they have another, and only there', async () => {
    const { map } = await shortened();
    const { names, sourcesContent } = JSON.parse(map) as SourceMapText;
    expect(sourcesContent).to.deep.equal([SOURCE]);
    expect(namesUsed(map, names).toSorted()).to.deep.equal([
      'anything',
      'described',
      'fragment',
      'given',
      'reason',
      'refusal',
      'uppermost',
    ]);
  });
});

interface SourceMapText {
  readonly names: string[];
  readonly sourcesContent: string[];
}

function namesUsed(map: string, names: readonly string[]): string[] {
  const { mappings } = JSON.parse(map) as { mappings: string };
  const used = new Set<string>();
  for (const segment of decode(mappings).flat()) {
    const name = segment[4];
    if (name !== undefined) used.add(names[name] ?? '');
  }
  return [...used];
}
