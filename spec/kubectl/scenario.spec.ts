import { expect } from 'chai';
import { allScenarios } from './all-scenarios.ts';
import { drawScenarios } from './run-scenarios.ts';
import { scenario } from './scenario.ts';

const only = (line: string) => scenario('s', {}, line).commands[0]!;

describe('a scenario of kubectl commands', () => {
  it('reads words as a shell does', () => {
    expect(only(`patch cm a -p '{"a": "b c"}' -l "x y"=z`).args).to.deep.equal([
      'patch',
      'cm',
      'a',
      '-p',
      '{"a": "b c"}',
      '-l',
      'x y=z',
    ]);
  });

  it('reads the input, the environment and the name of the output', () => {
    const { args, env, input } = only(`KUBE_EDITOR='sed -i x' apply -f - < map.yaml`);
    expect({ args, env, input }).to.deep.equal({
      args: ['apply', '-f', '-'],
      env: { KUBE_EDITOR: 'sed -i x' },
      input: 'map.yaml',
    });
    expect(only('@uid = get cm a -o name')).to.include({ saveAs: 'uid' });
  });

  it('reads how many lines bound a command that does not end', () => {
    const { lines, env } = only('LINES=2,4 get cm --watch');
    expect(lines).to.deep.equal({ before: 2, last: 4 });
    expect(env).to.deep.equal({});
  });

  it('numbers a text that comes again', () => {
    const ids = scenario('s', {}, 'get cm\nget cm\n').commands.map(({ id }) => id);
    expect(ids).to.deep.equal(['s: get cm', 's: get cm (2)']);
  });

  it('refuses quotes that do not end, with the line', () => {
    expect(() => only(`get cm 'a`)).to.throw(`the quotes of this line do not end: get cm 'a`);
  });
});

describe('the scenarios of kubectl commands', () => {
  it('are at least 300 commands, each with an id of its own', () => {
    const ids = allScenarios.flatMap(({ commands }) => commands.map(({ id }) => id));
    expect(ids).to.have.length.of.at.least(300);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('are drawn by the seed, a third at a time', () => {
    const names = (seed: string): string[] =>
      drawScenarios(allScenarios, seed).map(({ name }) => name);
    expect(names('a')).to.deep.equal(names('a'));
    expect(names('a')).to.have.length(Math.ceil(allScenarios.length / 3));
    expect(names('a')).not.to.deep.equal(names('b'));
  });

  it('are drawn in parts that together have each of them once', () => {
    const parts = [0, 1, 2, 3].flatMap((part) =>
      drawScenarios(allScenarios, 'a', { part, of: 4 }).map(({ name }) => name),
    );
    expect(parts.toSorted()).to.deep.equal(allScenarios.map(({ name }) => name).toSorted());
  });
});
