import { expect } from 'chai';
import { isSchemeError } from '../../../../lib/server/storage/scheme/scheme-error.ts';
import { YamlSerializer } from '../../../../lib/server/storage/scheme/yaml-serializer.ts';

const serializer = new YamlSerializer();

function decode(text: string, strict: boolean = false): Record<string, unknown> {
  return serializer.decode(Buffer.from(text), { strict });
}

function refusal(text: string, strict: boolean = false): string {
  try {
    decode(text, strict);
  } catch (error) {
    if (isSchemeError(error, 'MALFORMED_OBJECT')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('YamlSerializer', () => {
  it('recognises documents, comments and fields, not other text', () => {
    for (const text of [
      'apiVersion: v1\n',
      '---\na: 1',
      '# a Pod\n',
      '%YAML 1.1\n',
      '"kind": A',
      'a.b/c-d:\n  e: 1',
    ]) {
      expect(serializer.recognizes(Buffer.from(text)), text).to.equal(true);
    }
    for (const text of [
      '',
      '{"a":1}',
      '[1]',
      'k8s:enc:aescbc:v1:key1:',
      'http://a',
      'k8s\0\n',
      'text',
    ]) {
      expect(serializer.recognizes(Buffer.from(text)), text).to.equal(false);
    }
  });

  it('reads booleans as Kubernetes does, and not where they are quoted', () => {
    expect(decode('{a: yes, b: off, c: ON, d: y, e: N, f: true, g: False}')).to.deep.equal({
      a: true,
      b: false,
      c: true,
      d: true,
      e: false,
      f: true,
      g: false,
    });
    expect(decode('{a: "yes", b: \'no\', c: yEs, d: yesterday}')).to.deep.equal({
      a: 'yes',
      b: 'no',
      c: 'yEs',
      d: 'yesterday',
    });
    expect(decode('on: push')).to.deep.equal({ true: 'push' });
  });

  it('reads numbers as Kubernetes does', () => {
    expect(
      decode(
        '{a: 0644, b: 0o17, c: 0x1F, d: 0b101, e: 1_000, f: -017, g: 0, h: 10, i: 1.5e3, j: 08}',
      ),
    ).to.deep.equal({ a: 420, b: 15, c: 31, d: 5, e: 1_000, f: -15, g: 0, h: 10, i: 1_500, j: 8 });
  });

  it('takes dates, times of day, versions and binary for the text they are', () => {
    expect(
      decode('{a: 2001-01-01, b: "12:30", c: 12:30:45, d: 1.2.3, e: !!binary aGk=, f: ~}'),
    ).to.deep.equal({
      a: '2001-01-01',
      b: '12:30',
      c: '12:30:45',
      d: '1.2.3',
      e: 'aGk=',
      f: null,
    });
  });

  it('names the line of what is malformed', () => {
    expect(refusal('a: 1\nb: [1\n')).to.contain('not valid YAML').and.contain('line');
    expect(refusal('a: 1\nb: "x\n\n\ny" z\n')).to.match(/\(line 4\)$/);
    expect(refusal('- a')).to.equal('the document is not an object');
    expect(refusal('a: .nan')).to.equal('a number in the object is not finite');
  });

  it('reads the first document, and nothing behind it', () => {
    expect(decode('a: 1\n---\nb: 2')).to.deep.equal({ a: 1 });
    expect(decode('---\na: 1\n---\n- : [')).to.deep.equal({ a: 1 });
    expect(refusal('a: [1\n---\nb: 2')).to.contain('not valid YAML');
  });

  it('refuses names of fields that JSON cannot have', () => {
    for (const text of ['? [a]\n: 1', '? {a: 1}\n: 1', '~: 1', ': 1', '? &a b\n: 1\n*a : 2']) {
      expect(refusal(text), text).to.contain('name that is not a string');
    }
    expect(decode('{1: a, 1.5: b, true: c}')).to.deep.equal({ 1: 'a', '1.5': 'b', true: 'c' });
  });

  it('lets the last of two fields count, unless it is strict', () => {
    expect(decode('a: 1\na: 2')).to.deep.equal({ a: 2 });
    expect(refusal('b:\n- {a: 1, "a": 2}', true)).to.equal(
      'the field "a" occurs twice in an object',
    );
  });

  it('expands a few aliases, and no bombs', () => {
    const { a, c } = decode('a: &a {b: 1}\nc: *a');
    expect([a, c]).to.deep.equal([{ b: 1 }, { b: 1 }]);
    expect(a, 'each of them an object of its own').not.to.equal(c);
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, previous] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih']) {
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${previous}`).join(',')}]`);
    }
    expect(refusal(bomb.join('\n'))).to.contain('alias');
    expect(refusal('a: &a [*a]')).to.equal('the object contains itself');
    const large = `a: &a ${'x'.repeat(60_000)}\nb: [${Array.from({ length: 90 }, () => '*a').join()}]`;
    expect(refusal(large)).to.contain('expand to more than 3145728 characters');
  });

  it('refuses size and depth before they cost anything', () => {
    expect(refusal(`a: ${'x'.repeat(64 * 1024)}`)).to.contain('65536 bytes');
    expect(refusal(`a: ${'['.repeat(20_000)}`)).to.contain('nested deeper');
    expect(refusal(`${'- '.repeat(20_000)}a`)).to.contain('nested deeper');
  });

  it('keeps keys that name parts of every object as plain data', () => {
    const { a } = decode('a: {__proto__: {b: 1}, constructor: 2}');
    expect(Object.keys(a as object)).to.deep.equal(['__proto__', 'constructor']);
    expect(({} as { b?: number }).b).to.equal(undefined);
  });

  it('quotes text that readers of YAML 1.1 take for a time', () => {
    for (const time of [
      '2026-01-31T10:00:00Z',
      '2026-01-31T10:00:00.000000Z',
      '2026-01-31t10:00:00+02:00',
      '2026-1-2 3:4:5.6',
      '2026-1-2',
    ]) {
      const text = Buffer.from(serializer.encode({ kind: 'A', time } as object)).toString();
      expect(text).to.equal(`kind: A\ntime: "${time}"\n`);
      expect(decode(text)).to.deep.equal({ kind: 'A', time });
    }
    for (const other of ['2026-01-31T10', '2026-01', 'v2026-01-31']) {
      const text = Buffer.from(serializer.encode({ kind: 'A', other } as object)).toString();
      expect(text).to.equal(`kind: A\nother: ${other}\n`);
    }
  });

  it('quotes text that readers of YAML 1.1 take for a number of base 60', () => {
    const written = (text: string): string =>
      Buffer.from(serializer.encode({ kind: 'A', text } as object)).toString();
    for (const text of ['22:30', '+1:2', '10:00:00', '1_000:59:59.5']) {
      expect(written(text)).to.equal(`kind: A\ntext: "${text}"\n`);
      expect(decode(written(text))).to.deep.equal({ kind: 'A', text });
    }
    for (const text of ['1:60', '10.0.0.1:80', 'a:1', 'nginx:1.25']) {
      expect(written(text)).to.equal(`kind: A\ntext: ${text}\n`);
    }
  });

  it('quotes text that it would read as something else', () => {
    const data = {
      a: 'yes',
      b: '0644',
      c: '1_000',
      d: '<<',
      e: 'null',
      f: '1e3',
      g: '',
      '<<': 'y',
      no: 'x',
    };
    const bytes = serializer.encode({ kind: 'A', data } as object);
    expect(decode(Buffer.from(bytes).toString())).to.deep.equal({ kind: 'A', data });
  });
});
