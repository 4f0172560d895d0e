import {
  isRecord,
  recordAt,
  recordsAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { visitContainers } from './report/pod-report.ts';

/** Sources of projected volumes that are switched off by default. */
const OFF_SOURCES = ['clusterTrustBundle', 'podCertificate'];

/**
 * Removes fields of a new spec whose features are switched off by default, unless the stored spec has them.
 * @see pkg/api/pod/util.go DropDisabledPodFields, DropDisabledTemplateFields @ v1.36.3
 */
export function dropDisabledFields(spec: unknown, before: unknown): void {
  if (!isRecord(spec)) return;
  for (const name of OFF_SOURCES) {
    if (!sourcesOf(before).some((source) => source[name] !== undefined)) {
      for (const source of sourcesOf(spec)) delete source[name];
    }
  }
  if (valueAt(before, 'schedulingGroup') === undefined) delete spec['schedulingGroup'];
  if (stopSignals(before).length > 0) return;
  for (const { container, lifecycle } of stopSignals(spec)) {
    delete lifecycle['stopSignal'];
    if (Object.keys(lifecycle).length === 0) delete container['lifecycle'];
  }
}

function sourcesOf(spec: unknown): JsonRecord[] {
  return recordsAt(spec, 'volumes').flatMap((one) => recordsAt(one, 'projected', 'sources'));
}

interface Signalled {
  readonly container: JsonRecord;
  readonly lifecycle: JsonRecord;
}

function stopSignals(spec: unknown): Signalled[] {
  const found: Signalled[] = [];
  if (!isRecord(spec)) return found;
  visitContainers(spec, '', (container) => {
    const lifecycle = recordAt(container, 'lifecycle');
    if (lifecycle?.['stopSignal'] !== undefined) found.push({ container, lifecycle });
  });
  return found;
}
