import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { documentsOf, parseObject, projectFiles, textOfDocument } from './project-documents.ts';

const POLICY = `apiVersion: kyverno.io/v1
kind: Policy
metadata: { name: p }
spec:
  quoted: "{{ request.object.metadata.name }}"
  text: prefix-{{request.name}}
  block: |
    {{- range . }}
  # {{ a comment }}
  long: >-
    {{ $value }} of {{ $labels.pod }}
`;

describe('documents of public projects', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'project-documents-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function written(name: string, text: string): string {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  it('are objects where braces belong to a text', () => {
    const read = parseObject(POLICY);
    expect(read).to.have.nested.property('object.spec.text', 'prefix-{{request.name}}');
    expect(read).to.have.nested.property('object.spec.quoted').that.includes('{{ request.object');
    expect(read).to.have.nested.property('object.spec.block', '{{- range . }}\n');
  });

  it('are none where a template puts its values, and where they are no YAML', () => {
    const head = 'apiVersion: v1\nkind: Pod\nmetadata:\n';
    const cases: readonly (readonly [string, RegExp])[] = [
      [`${head}  name: {{ .Values.name }}\n`, /^a template$/],
      [`${head}  labels: {{ include "labels" . }}\n`, /^a template$/],
      [`${head}  {{- if .Values.on }}\n  name: a\n  {{- end }}\n`, /^a template, or no YAML: /],
      [`${head}  name: *nowhere\n`, /^no YAML: .*nowhere/],
      [`${head}  name: a\n  name: b\n`, /^no YAML: Map keys must be unique/],
      [`${head} name: a\n   b: c\n`, /^no YAML: /],
      ['- a\n- b\n', /^no object$/],
    ];
    for (const [text, reason] of cases) {
      expect(parseObject(text), text).to.have.property('unreadable').that.matches(reason);
    }
  });

  it('mean what they mean to kubectl', () => {
    const { object } = parseObject('a: yes\nb: 0644\nc: &x { d: 1 }\ne: { <<: *x }\n') as {
      readonly object: unknown;
    };
    expect(object).to.deep.equal({ a: true, b: 420, c: { d: 1 }, e: { d: 1 } });
  });

  it('are found between backquotes in tests in Go, and nowhere else in these', () => {
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: yaml }\n';
    const line = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"json"}}';
    const one = `var one = []byte(\`${line}\`)`;
    const text = [
      `package a // \`${line}\` and \``,
      one,
      '/* ` */',
      one,
      "var tick = '`'",
      one,
      'var quoted = "\\" `"',
      `var two = \`\n${pod}---\n${pod.replace('yaml', 'second')}\``,
      'var other = `{"kind":"Pod"}`',
    ].join('\n');
    const file = written('a_test.go', text);
    written('a.go', text);
    expect(projectFiles(folder).filter((path) => path.endsWith('.go'))).to.deep.equal([file]);
    const found = documentsOf(file);
    expect(found.map(({ place, kind }) => [place, kind])).to.deep.equal(
      [2, 4, 6, 8, 13].map((at) => [`${file}:${at}`, 'Pod']),
    );
    const names = found.map((document) => parseObject(textOfDocument(document)));
    expect(names).to.deep.equal(
      ['json', 'json', 'json', 'yaml', 'second'].map((name) => ({
        object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      })),
    );
  });

  it('have the line on which they begin, and are found in Markdown too', () => {
    const object = (name: string): string => `apiVersion: v1 # core\nkind: "Pod"\nname: ${name}\n`;
    const yaml = written('a.yaml', `# head\n---\n${object('a')}--- # next\n${object('b')}---`);
    const fence = '```';
    const block = `1. First:\n\n   ${fence}yaml\n   ${object('c').replaceAll('\n', '\n   ')}\n   ${fence}\n`;
    const page = written('b.md', `# Page\n${block}\n${fence}sh\n${object('d')}${fence}\n`);
    const json = written('c.json', JSON.stringify({ apiVersion: 'v1', kind: 'Pod' }, null, 2));
    written('d.txt', object('e'));
    expect(projectFiles(folder).filter((path) => !path.endsWith('.go'))).to.deep.equal([
      yaml,
      page,
      json,
    ]);
    const found = [yaml, page, json].flatMap(documentsOf);
    expect(found.map(({ place }) => place)).to.deep.equal([
      `${yaml}:3`,
      `${yaml}:7`,
      `${page}:5`,
      `${json}:1`,
    ]);
    expect(found.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod')).to.equal(
      true,
    );
    expect(found.map((one) => parseObject(textOfDocument(one)))).to.deep.equal([
      ...['a', 'b', 'c'].map((name) => ({ object: { apiVersion: 'v1', kind: 'Pod', name } })),
      { object: { apiVersion: 'v1', kind: 'Pod' } },
    ]);
  });
});
