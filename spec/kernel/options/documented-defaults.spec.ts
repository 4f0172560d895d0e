import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const LIB = resolve(import.meta.dirname, '../../../lib');
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('types'))
  .map((name) => ({ name, text: readFileSync(join(LIB, name), 'utf8') }))
  .filter(({ text }) => text.includes('optionsOf<') || text.includes('@defaultValue'));

/** The documented default of each option, by interface and option. */
const documented = new Map<string, string>();
for (const { text } of files) {
  for (const [, name = '', body = ''] of text.matchAll(/\binterface (\w+)[^{]*\{\n(.*?)\n\}\n/gs)) {
    for (const [, doc = '', option = ''] of body.matchAll(
      /\/\*\*((?:(?!\*\/).)*)\*\/\s+readonly (\w+)\??:/gs,
    )) {
      const value = /@defaultValue\s+(.*)/s.exec(doc.replaceAll(/\n\s*\*/g, ' '))?.[1];
      if (value !== undefined) documented.set(`${name}.${option}`, value.trim());
    }
  }
}

/** The text up to the bracket that closes the one before `start`. */
function enclosed(text: string, start: number): string {
  let depth = 1;
  let at = start;
  for (; depth > 0 && at < text.length; at += 1) {
    if ('([{'.includes(text[at] as string)) depth += 1;
    if (')]}'.includes(text[at] as string)) depth -= 1;
  }
  return text.slice(start, at - 1);
}

/** A literal as a schema has it: a number, a product or power of numbers, a text, true or false. */
function literal(source: string): unknown {
  if (/^'[^']*'$/.test(source)) return source.slice(1, -1);
  if (source === 'true' || source === 'false') return source === 'true';
  if (source === 'Infinity') return Infinity;
  if (!/^[\d_.e]+(?: \*\*? [\d_.e]+)*$/.test(source)) return undefined;
  return source
    .split(/ \* /)
    .map((factor) => {
      const [base = Number.NaN, exponent = 1] = factor
        .split(' ** ')
        .map((one) => Number(one.replaceAll('_', '')));
      return base ** exponent;
    })
    .reduce((product, factor) => product * factor, 1);
}

/** A literal at the beginning of a documented default; the words after it explain it. */
function documentedLiteral(text: string): unknown {
  const word = /^[`]?'([^']*)'/.exec(text)?.[1];
  if (word !== undefined) return word;
  const plain = /^`?(true|false|Infinity)\b/.exec(text)?.[1];
  if (plain !== undefined) return plain === 'Infinity' ? Infinity : plain === 'true';
  const [, digits, unit = ''] =
    /^(\d+(?:[ \u00A0_]\d{3})*(?:\.\d+)?)(?: (KiB|MiB|GiB)\b)?/.exec(text) ?? [];
  return digits === undefined
    ? undefined
    : Number(digits.replaceAll(/[ \u00A0_]/g, '')) * (UNITS[unit] ?? 1);
}

interface Row {
  readonly option: string;
  readonly said: unknown;
  readonly has: unknown;
}

function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  for (const match of text.matchAll(/optionsOf<\s*(\w+)[^()]*>\(\)\(/g)) {
    const call = enclosed(text, match.index + match[0].length);
    for (const [, option = '', source = ''] of call.matchAll(
      /\n\s+(\w+): is\b(?:(?!\n\s+\w+: is\b).)*?\s*\.default\(([^()]*)\)/gs,
    )) {
      const name = `${match[1]}.${option}`;
      const said = documentedLiteral(documented.get(name) ?? '');
      const has = literal(source.trim());
      if (said !== undefined && has !== undefined) rows.push({ option: name, said, has });
    }
  }
  return rows;
}

describe('the documented default of an option', () => {
  const rows = files.flatMap(({ text }) => rowsOf(text));

  it('is that of the schema', () => {
    const wrong = rows.filter(({ said, has }) => said !== has);
    expect(wrong).to.deep.equal([]);
  });

  it('is compared for at least 70 options', () => {
    expect(rows.length).to.be.at.least(70);
  });
});
