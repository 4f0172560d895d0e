import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseSync } from 'oxc-parser';
import { diffOf, mutated } from './mutation.ts';
import { mutationsOf } from './mutator.ts';

/** Each mutation of a source of one line, as `id: line after it`. */
function mutants(source: string): string[] {
  return mutationsOf('source.ts', source).map(
    (mutation) => `${mutation.id}: ${mutated(source, mutation)}`,
  );
}

describe('mutationsOf', () => {
  const rows: Readonly<Record<string, readonly [source: string, ...mutants: string[]]>> = {
    'moves a boundary': ['const x = a < b;', 'boundary@1:13: const x = a <= b;'],
    'turns equality round': ['const x = a === b;', 'equality@1:13: const x = a !== b;'],
    'changes arithmetic': ['const x = a + b;', 'arithmetic@1:13: const x = a - b;'],
    'changes an arithmetic assignment, or leaves it out': [
      'x += y;',
      'statement@1:1: ;',
      'arithmetic@1:3: x -= y;',
    ],
    'turns a boolean round': ['const x = true;', 'boolean@1:11: const x = false;'],
    'adds one to a small number': [
      'const x = [0, 1n, 7];',
      'number@1:12: const x = [1, 1n, 7];',
      'number@1:15: const x = [0, 2n, 7];',
    ],
    'swaps the logical operators': ['const x = a && b;', 'logic@1:13: const x = a || b;'],
    'negates a condition, with and without a negation in it': [
      'if (a) b = c ? d : e; while (!f) g();',
      'condition@1:5: if (!(a)) b = c ? d : e; while (!f) g();',
      'statement@1:8: if (a) ; while (!f) g();',
      'condition@1:12: if (a) b = !(c) ? d : e; while (!f) g();',
      'condition@1:30: if (a) b = c ? d : e; while (f) g();',
      'statement@1:34: if (a) b = c ? d : e; while (!f) ;',
    ],
    'leaves out a call that nothing waits for, and one that is awaited': [
      'a.b(); await c();',
      'statement@1:1: ; await c();',
      'statement@1:8: a.b(); ;',
    ],
    'leaves out an early return, a throw and a continue, but not the last return': [
      'for (;;) { if (a) continue; if (b) { throw c; } } function f() { if (d) return e; return g; }',
      'condition@1:16: for (;;) { if (!(a)) continue; if (b) { throw c; } } function f() { if (d) return e; return g; }',
      'exit@1:19: for (;;) { if (a) ; if (b) { throw c; } } function f() { if (d) return e; return g; }',
      'condition@1:33: for (;;) { if (a) continue; if (!(b)) { throw c; } } function f() { if (d) return e; return g; }',
      'exit@1:38: for (;;) { if (a) continue; if (b) { ; } } function f() { if (d) return e; return g; }',
      'condition@1:70: for (;;) { if (a) continue; if (b) { throw c; } } function f() { if (!(d)) return e; return g; }',
      'exit@1:73: for (;;) { if (a) continue; if (b) { throw c; } } function f() { if (d) ; return g; }',
    ],
    'turns the answer of a function round that says yes or no': [
      'function f(): boolean { return g(); } function h(): number { return i(); }',
      'answer@1:32: function f(): boolean { return !(g()); } function h(): number { return i(); }',
    ],
  };
  for (const [title, [source, ...expected]] of Object.entries(rows)) {
    it(title, () => {
      expect(mutants(source)).to.deep.equal(expected);
    });
  }

  it('leaves types, imports, comments, texts and messages alone', () => {
    const source = [
      "import { a } from 'a < b';",
      '/** `x < 1` and x === true. */',
      'type Small = 0 | 1 | true;',
      'interface Limits { readonly least: 0; }',
      "const text = 'a < b && c === 1';",
      'const joined = text + " is " + a;',
      // oxlint-disable-next-line no-template-curly-in-string
      'const template = `${text === a ? 0 : 1}`;',
      'const error = new TypeError(a < 1 ? text : joined);',
      'logger.warn(text, { fatal: true });',
      'const row = { 0: a, 1: a };',
    ].join('\n');
    const notified = mutationsOf('source.ts', source).map(({ id }) => id);
    expect(notified, 'a call for the log may go').to.deep.equal(['statement@9:1']);
  });

  it('keeps what a constructor stores', () => {
    const source = 'class A { a; constructor(a) { super(); this.a = a; this.b = make(); } }';
    expect(mutationsOf('source.ts', source).map(({ id }) => id)).to.deep.equal(['statement@1:52']);
  });

  it('looks through type assertions', () => {
    const ids = mutationsOf('source.ts', 'const x = (a < 1) as never;').map(({ id }) => id);
    expect(ids).to.deep.equal(['boundary@1:14', 'number@1:16']);
  });

  it('gives every mutation of a file an id of its own', () => {
    const source = Array.from({ length: 50 }, (_, index) => `if (a${index} < 1) b();`).join(' ');
    const ids = mutationsOf('source.ts', source).map(({ id }) => id);
    expect(ids).to.have.length(200);
    expect(new Set(ids)).to.have.property('size', 200);
  });

  it('changes real files to what can be parsed, each mutation to another text', () => {
    for (const file of [
      'kernel/time/virtual-runtime.ts',
      'server/registry/writes/update-object.ts',
    ]) {
      const source = readFileSync(join(import.meta.dirname, '../../lib', file), 'utf8');
      const texts = mutationsOf(file, source).map((mutation) => mutated(source, mutation));
      expect(texts.length).to.be.greaterThan(50);
      expect(new Set([source, ...texts])).to.have.property('size', texts.length + 1);
      for (const text of texts) expect(parseSync(file, text).errors).to.deep.equal([]);
    }
  });

  it('names a file that cannot be parsed', () => {
    expect(() => mutationsOf('source.ts', 'const = 1;')).to.throw('source.ts cannot be parsed');
  });
});

describe('diffOf', () => {
  it('shows the line before and after', () => {
    const source = 'a();\nif (b < c) d();\ne();\n';
    const mutation = mutationsOf('source.ts', source).find(
      ({ operator }) => operator === 'boundary',
    );
    expect(mutation && diffOf(source, mutation)).to.deep.equal([
      '- if (b < c) d();',
      '+ if (b <= c) d();',
    ]);
  });

  it('shows three lines of a change that is longer', () => {
    const source = 'f(\n  a,\n  b,\n  c,\n);\n';
    const [mutation] = mutationsOf('source.ts', source);
    expect(mutation && diffOf(source, mutation)).to.deep.equal([
      '- f(',
      '-   a,',
      '-   b,',
      '- … 2 more',
      '+ ;',
    ]);
  });
});
