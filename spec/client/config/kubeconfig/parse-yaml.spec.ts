import { expect } from 'chai';
import type { KubeconfigField } from '../../../../lib/client/config/kubeconfig/kubeconfig-field.ts';
import { parseYaml } from '../../../../lib/client/config/kubeconfig/parse-yaml.ts';
import { failureOf } from '../../support/failure-of.ts';

const origin = { name: '/etc/config', directory: '/etc', isData: false };
const parse = async (text: string): Promise<KubeconfigField> => await parseYaml(text, origin);

describe('parseYaml', () => {
  const same = { a: [{ b: 'c' }] };
  const texts: [title: string, text: string][] = [
    ['block style', 'a:\n- b: c\n'],
    ['flow style', 'a: [{ b: c }]'],
    ['JSON', '{"a":[{"b":"c"}]}'],
    ['JSON with line breaks and tabs', '{\n\t"a": [\n\t\t{ "b": "c" }\n\t]\n}\n'],
    ['a byte order mark', '\ufeffa:\n- b: c\n'],
    ['line ends of Windows', 'a:\r\n- b: c\r\n'],
    ['a document marker', '---\na:\n- b: c\n'],
    ['an end marker and an empty document', 'a:\n- b: c\n...\n---\n# nothing\n'],
    ['an anchor', 'x: &x { b: c }\na: [*x]\n'],
    ['a merge key', 'x: &x { b: c }\na: [{ <<: *x }]\n'],
  ];
  for (const [title, text] of texts) {
    it(`reads ${title}`, async () => {
      expect((await parse(text)).field('a').value).to.deep.equal(same.a);
    });
  }

  it('gives each field its line', async () => {
    const root = await parse('a: 1\nb:\n- c: x\n- c: y\n');
    const [, second] = root.field('b').items();
    expect(second?.field('c').place).to.equal('/etc/config:4: b[1].c');
    expect(second?.field('missing').place).to.equal('/etc/config:4: b[1].missing');
    expect(second?.field('c').location).to.equal('/etc/config:4');
  });

  it('keeps a field of the name __proto__ as a field', async () => {
    const root = await parse('__proto__: { a: 1 }\n');
    expect(root.names()).to.deep.equal(['__proto__']);
    expect(root.field('a').present).to.equal(false);
    expect(root.field('__proto__').field('a').value).to.equal(1);
  });

  const nine = Array.from({ length: 9 }, (_, level) => {
    const item = level === 0 ? 'x' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array(9).fill(item).join(',')}]`;
  });
  const cases: [title: string, text: string, expected: string][] = [
    [
      'a wrong indentation',
      'a: [\nb: c',
      '/etc/config:2: it is not YAML: the indentation is wrong',
    ],
    [
      'a tab as indentation',
      'a:\n\tb: c\n',
      '/etc/config:2: it is not YAML: a tab is used as indentation; use spaces',
    ],
    [
      'two keys of one name',
      'a: 1\na: 2\n',
      '/etc/config:2: it is not YAML: a mapping has two fields of this name; remove one',
    ],
    [
      'several documents',
      'a: 1\n---\nb: 2\n',
      '/etc/config:3: a second YAML document begins here; keep one, or make two files and list both in KUBECONFIG',
    ],
    [
      'a mapping that contains itself',
      'a: &a\n  b: *a\n',
      '/etc/config: it has an anchor (&name) that contains an alias (*name) of itself',
    ],
    ['a list that contains itself', 'a: &a [[*a]]\n', 'contains an alias (*name) of itself'],
    [
      'an alias without an anchor',
      'a: *canary\n',
      '/etc/config: it has an alias (*name) whose anchor (&name) does not come before it',
    ],
    [
      'aliases that multiply',
      nine.join('\n'),
      '/etc/config: its aliases (*name) expand to more than 100 copies; write the values out',
    ],
    ['deep brackets', '['.repeat(100_000), '/etc/config: it is nested too deeply'],
    ['deep mappings', '{ a: '.repeat(5_000), '/etc/config: it is nested too deeply'],
    ['deep complex keys', '? '.repeat(400), '/etc/config: it is nested too deeply'],
    ['an image', '\ufffd\ufffd\u0000\u0010JFIF\u0000: [', '/etc/config:1: it is not YAML'],
    ['an open quote', 'a: "canary\n', 'it is not YAML'],
  ];
  for (const [title, text, expected] of cases) {
    it(`refuses ${title}, without quoting it`, async () => {
      const error = await failureOf(parse(text));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.contain(expected);
      expect(error.message).not.to.contain('canary').and.not.to.contain('\n');
    });
  }
});
