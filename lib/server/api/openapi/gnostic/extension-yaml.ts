import { isRecord } from '../../../../meta/json-value.ts';

/** Text that YAML reads as a text, and as nothing else, without quotes: no `: `, no ` #`, no indicator in the beginning. */
const PLAIN = /^[A-Za-z_/](?:[!-9;-~]|:(?=[!-~])| (?=[!"$-9;-~]))*$/;
/** Texts that YAML reads as a boolean or as null. */
const NOT_TEXT = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
/** Text that can stand between single quotes. */
const PRINTABLE = /^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/;
/** Text that is a number or a date without quotes. */
const NUMBER_LIKE = /^[-+.\d]/;

/** The YAML of a value that OpenAPI leaves open, as the models of protobuf carry it: blocks, with a line break at the end. */
export function extensionYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = lines(item);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (!isRecord(value) || Object.keys(value).length === 0) return [scalar(value)];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = lines(member);
    const isBlock = Array.isArray(member)
      ? member.length > 0
      : isRecord(member) && Object.keys(member).length > 0;
    return isBlock
      ? [`${scalar(name)}:`, ...below.map((line) => `  ${line}`)]
      : [`${scalar(name)}: ${below[0]}`];
  });
}

/** JSON is YAML too, for empty lists and objects and for texts that need quotes. */
function scalar(value: unknown): string {
  if (typeof value !== 'string' || NOT_TEXT.test(value)) return JSON.stringify(value);
  if (PLAIN.test(value)) return value;
  return PRINTABLE.test(value) && !NUMBER_LIKE.test(value)
    ? `'${value.replaceAll("'", "''")}'`
    : JSON.stringify(value);
}
