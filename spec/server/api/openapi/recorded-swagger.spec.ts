import { expect } from 'chai';
import { RecordedSwagger } from '../../../../lib/server/api/openapi/recorded-swagger.ts';

const document = {
  swagger: '2.0',
  info: { title: 'a "quoted" {title}', version: 1 },
  paths: { '/b': { get: { n: -1.5e3 } }, '/d/"{x}"': [{}, [], 'a}'], '/e': null },
  definitions: { b: { type: 'object' }, 'c\\': true },
  parameters: {},
  security: [{ token: [] }],
};

function encoded(members: Readonly<Record<string, unknown>>): Map<string, Uint8Array> {
  return new Map(
    Object.entries(members).map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]),
  );
}

function extended(recorded: object, ...added: readonly (readonly [object, object])[]): string {
  const content = added.map(([paths, definitions]) => ({
    paths: encoded({ ...paths }),
    definitions: encoded({ ...definitions }),
  }));
  const swagger = new RecordedSwagger(Buffer.from(JSON.stringify(recorded)));
  return Buffer.from(swagger.with(content)).toString();
}

describe('the recorded document of version 2', () => {
  it('is the same with nothing more', () => {
    expect(extended(document)).to.equal(JSON.stringify(document));
    const empty = { paths: {}, definitions: {} };
    expect(extended(empty)).to.equal(JSON.stringify(empty));
    expect(extended({ swagger: 2 })).to.equal('{"swagger":2}');
  });

  it('gets more paths and definitions in the order of their names, at both ends and between', () => {
    const { paths, definitions } = document;
    const text = extended(
      document,
      [{ '/c"': 1, '/a': { ü: 'ü' } }, { d: 4 }],
      [{ '/f': 6, '/c': 2 }, { a: 1 }],
    );
    expect(text).to.equal(
      JSON.stringify({
        ...document,
        paths: {
          '/a': { ü: 'ü' },
          '/b': paths['/b'],
          '/c': 2,
          '/c"': 1,
          '/d/"{x}"': paths['/d/"{x}"'],
          '/e': null,
          '/f': 6,
        },
        definitions: { a: 1, ...definitions, d: 4 },
      }),
    );
    expect(extended({ paths: {}, definitions: {} }, [{ '/b': 2, '/a': 1 }, {}])).to.equal(
      '{"paths":{"/a":1,"/b":2},"definitions":{}}',
    );
  });

  it('replaces nothing, and takes the first of two', () => {
    const text = extended(document, [{ '/b': 1 }, { b: 1, x: 1 }], [{}, { x: 2, b: 2 }]);
    const definitions = { ...document.definitions, x: 1 };
    expect(text).to.equal(JSON.stringify({ ...document, definitions }));
  });
});
