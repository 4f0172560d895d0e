import { lineText, planText, type StoryParts } from './story.ts';
import type { StoryLine } from './story-lines.ts';

const COLOURS: Readonly<Record<StoryLine['kind'], string>> = {
  step: '#444',
  start: '#17754a',
  crash: '#c22',
  exit: '#c22',
  fault: '#b04c00',
  request: '#26c',
  answer: '#667',
  commit: '#111',
  event: '#456b8c',
  log: '#707070',
};

/** A run that failed, as a page without scripts and without anything from elsewhere: one column for each actor, time downwards. */
export function htmlTimeline({ plan, findings, lines, steps }: StoryParts): string {
  const actors = [...new Set(lines.map(({ actor }) => actor))];
  const rows = lines.map((line) => row(line, actors)).join('\n');
  const [first, ...others] = findings;
  const title = escaped(first === undefined ? 'a run' : `${first.subject}: ${first.message}`);
  const found = others
    .map(
      ({ class: kind, subject, message }) =>
        `<li><b>${kind}</b> ${escaped(subject)}: ${escaped(message)}</li>`,
    )
    .join('');
  const planned = planText(plan, steps)
    .map((one) => escaped(one))
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% } th { text-align: left; position: sticky; top: 0; background: #eee }
td, th { padding: 2px 8px; vertical-align: top; border-left: 1px solid #ddd } td:first-child { color: #666; white-space: nowrap }
pre { background: #f6f6f6; padding: 1em; white-space: pre-wrap } .stale { color: #c22; font-weight: 600 } li { margin: .3em 0 } h1 { font-size: 1.4em }
</style></head><body>
<h1>${title}</h1>${found === '' ? '' : `<ul>${found}</ul>`}
<pre>${planned}</pre>
<table><thead><tr><th>s</th>${actors.map((actor) => `<th>${escaped(actor)}</th>`).join('')}</tr></thead><tbody>
${rows}
</tbody></table>
<h2>Replay</h2><pre>simulate({ …, replay: '${escaped(JSON.stringify(plan))}' })</pre>
</body></html>
`;
}

function row(line: StoryLine, actors: readonly string[]): string {
  const cells = actors.map((actor) => (actor === line.actor ? cell(line) : '<td></td>')).join('');
  return `<tr title="${escaped(lineText(line).trim())}"><td>${(line.atMs / 1000).toFixed(3)}</td>${cells}</tr>`;
}

function cell({ kind, text, stale }: StoryLine): string {
  const because = stale === undefined ? '' : `<br><span class="stale">${escaped(stale)}</span>`;
  return `<td style="color:${COLOURS[kind]}"><b>${kind}</b> ${escaped(text)}${because}</td>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
