import { isRecord, recordAt, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import { isHugePages } from '../containers/resource-names.ts';
import { containerTotals } from './pod-resources.ts';

function isOfPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

function addMissing(to: JsonRecord, from: JsonRecord, isWanted: (name: string) => boolean): void {
  for (const [name, amount] of Object.entries(from)) {
    if (isWanted(name) && !Object.hasOwn(to, name)) setOwn(to, name, amount);
  }
}

/**
 * Completes the resources of a pod as a whole by those of its containers.
 * @see pkg/apis/core/v1/defaults.go defaultHugePagePodLimits, defaultPodRequests @ v1.36.3
 */
export function completePodResources(spec: JsonRecord): void {
  const { resources } = spec;
  if (!isRecord(resources)) return;
  const requests = { ...recordAt(resources, 'requests') };
  const limits = { ...recordAt(resources, 'limits') };
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return;
  const isFreePage = (name: string): boolean => isHugePages(name) && !Object.hasOwn(requests, name);
  addMissing(limits, containerTotals(spec, 'limits'), isFreePage);
  if (Object.keys(limits).length === 0) return;
  resources['limits'] = limits;
  const overcommits = (name: string): boolean => isOfPods(name) && !isHugePages(name);
  addMissing(requests, containerTotals(spec, 'requests'), overcommits);
  addMissing(requests, limits, isOfPods);
  if (Object.keys(requests).length > 0) resources['requests'] = requests;
}
