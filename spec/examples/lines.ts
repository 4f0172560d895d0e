import { operatorLines } from './support/operator-lines.ts';

const { lines, text } = operatorLines();
if (process.argv.includes('--show')) console.log(text.join('\n'));
console.log(
  `${lines} lines: examples/site-operator/operator.ts, as formatted, without imports, types, blanks and comments`,
);
