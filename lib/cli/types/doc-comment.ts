const WIDTH = 100;

/** Control characters, which an editor or a terminal would obey. */
const CONTROL = /[\p{Cc}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** A description as a doc comment, wrapped at 100 columns, with its line end. Empty for an empty one. */
export function docComment(text: unknown, indent: string = ''): string {
  if (typeof text !== 'string') return '';
  const lines = text
    .trim()
    .split('\n')
    .flatMap((line) => wrapped(line, WIDTH - indent.length - 3));
  const [first = ''] = lines;
  if (lines.length > 1) {
    const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('');
    return `${indent}/**\n${body}${indent} */\n`;
  }
  return first === '' ? '' : `${indent}/** ${first} */\n`;
}

function wrapped(line: string, width: number): string[] {
  const lines = [''];
  // A description must not end the comment, nor turn off the compiler.
  const plain = line.replaceAll(CONTROL, ' ').replaceAll('*/', '*\\/').replaceAll('@ts-', '@ ts-');
  const words = plain.trim().split(/ +/);
  for (const word of words) {
    const last = lines.at(-1) as string;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
