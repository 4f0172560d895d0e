import type { KeyRun } from '../../contract/inspector-snapshot.ts';
import { h, type Child } from '../parts/page-dom.ts';
import { exactClock } from '../parts/page-format.ts';
import { badge, keyLink, section } from '../parts/page-parts.ts';
import type { CausedRun, CauseLinks } from './cause-links.ts';
import { RESULTS } from '../parts/run-results.ts';
import { reasonText, TONES } from './runs-table.ts';

/** Why the last run took place: the runs that led to it by what they wrote, and the runs that it has caused. */
export function causeChain(last: KeyRun | undefined, causes: CauseLinks): Child {
  if (last === undefined) return false;
  const chain = causes.chainTo({ controller: last.controller, run: last });
  const after = causes.causedBy({ controller: last.controller, run: last });
  return section(
    'Why it ran',
    h(
      'ol',
      { class: 'steps' },
      chain.map((one, index) => link(one, index === 0)),
      after.map(({ controller, run }) =>
        h(
          'li',
          { key: `after ${controller} ${run.key} ${run.startedAtMs}`, class: TONES[run.result] },
          h('h3', {}, controller),
          badge(TONES[run.result], RESULTS[run.result]),
          h(
            'div',
            {},
            keyLink(run.key),
            ` at ${exactClock(run.startedAtMs)}; reason: a write of this run`,
          ),
        ),
      ),
    ),
  );
}

function link({ controller, run, reason }: CausedRun, isFirst: boolean): Child {
  const text = reason === undefined ? 'not known' : reasonText(reason);
  const origin =
    isFirst && reason?.resource !== undefined
      ? 'not written by a run that is remembered'
      : 'written by the run above';
  return h(
    'li',
    { key: `${controller} ${run.key} ${run.startedAtMs}`, class: TONES[run.result] },
    h('h3', {}, controller),
    badge(TONES[run.result], RESULTS[run.result]),
    h(
      'div',
      {},
      keyLink(run.key),
      ` at ${exactClock(run.startedAtMs)}; reason: ${text}`,
      reason?.resource !== undefined && h('small', {}, origin),
    ),
  );
}
