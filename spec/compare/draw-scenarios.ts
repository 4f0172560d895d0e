import { defaulting, validation } from './areas/contents.ts';
import { customResources } from './areas/custom.ts';
import {
  discovery,
  DISCOVERY_SCENARIOS,
  kinds,
  list,
  negotiation,
  selectors,
  watch,
} from './areas/reading.ts';
import { granting } from './areas/granting.ts';
import { access, namespaces, subresources } from './areas/special.ts';
import { patches } from './areas/patching.ts';
import { apply, deletion, update } from './areas/writing.ts';
import { Draw } from './draw.ts';
import { AREAS, type Area, type Scenario, type Step } from './scenario.ts';

type DrawSteps = (draw: Draw, index: number) => readonly Step[];

const STEPS: Readonly<Record<Area, DrawSteps>> = {
  discovery,
  kinds,
  negotiation,
  defaulting,
  validation,
  update,
  delete: deletion,
  patch: patches,
  apply,
  subresources,
  list,
  selectors,
  watch,
  namespaces,
  'custom resources': customResources,
  access: (draw) => (draw.chance(0.5) ? access(draw) : granting(draw)),
};

/** Scenarios with `count` requests that are compared, or a few more; each area has about the same number of requests. */
export function drawScenarios(
  seed: string,
  count: number,
  areas: readonly Area[] = AREAS,
): readonly Scenario[] {
  const drawn: Scenario[] = [];
  const requests = new Map(areas.map((area) => [area, 0]));
  const made = new Map<Area, number>();
  const open = new Set(areas);
  for (let total = 0; total < count && open.size > 0; ) {
    const area = [...open].toSorted((a, b) => (requests.get(a) ?? 0) - (requests.get(b) ?? 0))[0]!;
    const index = made.get(area) ?? 0;
    made.set(area, index + 1);
    if (area === 'discovery' && index + 1 >= DISCOVERY_SCENARIOS) open.delete(area);
    const scenario = scenarioOf(area, seed, index);
    const compared = scenario.steps.filter(({ setup }) => setup !== true).length;
    requests.set(area, (requests.get(area) ?? 0) + compared);
    total += compared;
    drawn.push(scenario);
  }
  return drawn;
}

function scenarioOf(area: Area, seed: string, index: number): Scenario {
  const id = `${area.replaceAll(' ', '-')}/${seed}/${index}`;
  const steps = STEPS[area](new Draw(id), index);
  return { id, area, namespace: area !== 'discovery', steps };
}
