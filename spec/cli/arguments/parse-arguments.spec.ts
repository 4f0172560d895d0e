import { expect } from 'chai';
import {
  optionsHelp,
  parseArguments,
  type OptionTable,
} from '../../../lib/cli/arguments/parse-arguments.ts';
import { UsageError } from '../../../lib/cli/arguments/usage-error.ts';

const TABLE: OptionTable = {
  context: { type: 'string', value: 'NAME', help: 'the context' },
  resource: { type: 'string', short: 'r', multiple: true, value: 'NAME', help: 'a resource' },
  json: { type: 'boolean', help: 'JSON' },
};

function refusalOf(...parameters: string[]): string {
  try {
    parseArguments(parameters, TABLE);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('parseArguments', () => {
  it('reads values beside and behind the name, short names, repeated options, flags, and the rest', () => {
    const parsed = parseArguments(
      ['--context=a', '-r', 'pods', '--resource', 'nodes', '--json', 'rest'],
      TABLE,
    );
    expect([...parsed.options]).to.deep.equal([
      ['context', ['a']],
      ['resource', ['pods', 'nodes']],
      ['json', ['true']],
    ]);
    expect(parsed.positionals).to.deep.equal(['rest']);
  });

  it('names the closest option for an unknown one', () => {
    expect(refusalOf('--contxt', 'a')).to.equal('unknown option --contxt; did you mean --context?');
    expect(refusalOf('--wide')).to.equal('unknown option --wide');
    expect(refusalOf('-x')).to.equal('unknown option -x');
  });

  it('knows no options that every object has', () => {
    expect(refusalOf('--toString')).to.equal('unknown option --toString');
  });

  it('refuses an option without its value, also when another option follows', () => {
    const message = '--context needs a value: --context NAME';
    expect(refusalOf('--context')).to.equal(message);
    expect(refusalOf('--context=')).to.equal(message);
    expect(refusalOf('--context', '--json')).to.equal(message);
  });

  it('takes a value that begins with a dash after an equals sign', () => {
    const { options } = parseArguments(['--context=-a'], TABLE);
    expect(options.get('context')).to.deep.equal(['-a']);
  });

  it('refuses a value for a flag, and an option that is given twice', () => {
    expect(refusalOf('--json=yes')).to.equal('--json takes no value');
    expect(refusalOf('--context', 'a', '--context', 'b')).to.equal(
      '--context is given twice; give it once',
    );
    expect(refusalOf('--json', '--json')).to.equal('accepted');
  });

  it('writes the help of all options in two columns', () => {
    expect(optionsHelp(TABLE).split('\n')).to.deep.equal([
      '      --context NAME   the context',
      '  -r, --resource NAME  a resource',
      '      --json           JSON',
    ]);
  });
});
