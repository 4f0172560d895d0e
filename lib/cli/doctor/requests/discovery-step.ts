import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { countOf, shownText } from '../../terminal/shown-text.ts';
import type { Findings } from '../contract/findings.ts';
import type { RequestProbe } from '../contract/request-probe.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import {
  closestResource,
  findResource,
  resourceName,
  spelledOut,
  type DiscoveredResource,
} from './find-resource.ts';

/** What an informer does with a resource. */
const NEEDED = ['list', 'watch'];

/** The most requests at a time. */
const AT_A_TIME = 8;

/** The most failed API versions that are named. */
const SHOWN_FAILURES = 3;

interface Discovered {
  readonly groups: number;
  readonly resources: DiscoveredResource[];
  readonly failures: { readonly apiVersion: string; readonly problem: string }[];
}

/** Reads which resources the server serves, and finds the given ones among them. */
export const discoveryStep: Step = {
  id: 'discovery',
  title: 'discovery',
  needs: ['authentication'],
  async run({ findings, options, signal }: DoctorContext): Promise<Outcome> {
    let discovered: Discovered;
    try {
      discovered = await discover(findings.opened, signal);
    } catch (error) {
      if (!isListwatchError(error, 'FORBIDDEN')) throw error;
      return notPermitted(findings, options.resources);
    }
    const { groups, resources, failures } = discovered;
    // The versions of a resource are one resource.
    const count = new Set(resources.map(resourceName)).size;
    const data = { groups, resources: count, failures };
    for (const name of options.resources) {
      const found = findResource(name, resources);
      if (found === undefined) return { ...unknown(name, discovered), data };
      const { verbs } = found;
      const lacking = NEEDED.filter((verb) => !verbs.includes(verb));
      if (lacking.length > 0) return { ...notOffered(resourceName(found), lacking), data };
      findings.resources.set(name, found);
    }
    const detail = `${countOf(count, 'resource')} in ${countOf(groups, 'group')}`;
    const [first] = failures;
    if (first === undefined) return { status: 'ok', detail, data };
    const named = failures
      .slice(0, SHOWN_FAILURES)
      .map((one) => `${one.apiVersion}: ${one.problem}`);
    return {
      status: 'warning',
      detail: shownText(`${detail}; no answer for ${named.join('; ')}`),
      remedy: `see why with: kubectl get apiservice ${serviceOf(first.apiVersion)} -o yaml`,
      data,
    };
  },
};

async function discover(requests: RequestProbe, signal: AbortSignal): Promise<Discovered> {
  const core = await requests.json({ path: '/api', signal });
  const named = await requests.json({ path: '/apis', signal });
  const groups = records(named['groups']);
  const apiVersions = [...texts(core['versions']), ...groups.flatMap(preferredFirst)];
  const lists: DiscoveredResource[][] = apiVersions.map(() => []);
  const failures: { apiVersion: string; problem: string }[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next; index < apiVersions.length; index = next) {
      next += 1;
      const apiVersion = apiVersions[index] ?? '';
      try {
        lists[index] = await resourcesOf(requests, apiVersion, signal);
      } catch (error) {
        if (!isApiError(error)) throw error;
        failures.push({ apiVersion, problem: shownText(error.problem, 120) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return { groups: groups.length + 1, resources: lists.flat(), failures };
}

async function resourcesOf(
  requests: RequestProbe,
  apiVersion: string,
  signal: AbortSignal,
): Promise<DiscoveredResource[]> {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
  const list = await requests.json({ path, signal });
  return records(list['resources'])
    .filter(({ name }) => typeof name === 'string' && !name.includes('/'))
    .map(({ name, namespaced, singularName, shortNames, kind, verbs }) => ({
      group: group ?? '',
      version: version ?? '',
      resource: String(name),
      namespaced: namespaced === true,
      verbs: texts(verbs),
      aliases: [singularName, kind, ...texts(shortNames)]
        .filter((one): one is string => typeof one === 'string')
        .map((one) => one.toLowerCase()),
    }));
}

function preferredFirst(group: Readonly<Record<string, unknown>>): string[] {
  const preferred = (group['preferredVersion'] as { groupVersion?: unknown } | undefined)
    ?.groupVersion;
  const all = records(group['versions']).map((one) => one['groupVersion']);
  return texts([...new Set([preferred, ...all])]);
}

/** Informers need no discovery, so this is no failure. */
function notPermitted(findings: Findings, names: readonly string[]): Outcome {
  for (const name of names) {
    const resource = spelledOut(name);
    if (resource === undefined) {
      return {
        status: 'failed',
        code: 'FORBIDDEN',
        detail: `this user may not ask which resources there are, so the version of ${name} is not known (HTTP 403)`,
        remedy: 'give the resource with version and group, e.g. --resource deployments.v1.apps',
      };
    }
    findings.resources.set(name, resource);
  }
  return {
    status: 'warning',
    detail: 'this user may not ask which resources there are (HTTP 403)',
    remedy: 'bind the user to the ClusterRole system:discovery; informers work without it',
  };
}

function unknown(name: string, { resources, failures }: Discovered): Outcome {
  const meant = closestResource(name, resources);
  const missing = failures.find(({ apiVersion }) => name.endsWith(`.${apiVersion.split('/')[0]}`));
  const installed =
    'install its CustomResourceDefinition, or give another name: kubectl api-resources';
  return {
    status: 'failed',
    code: 'RESOURCE_UNKNOWN',
    detail: shownText(
      `the server serves no resource ${name}${missing === undefined ? '' : `; ${missing.apiVersion} does not answer: ${missing.problem}`}`,
    ),
    remedy: meant === undefined ? installed : `did you mean --resource ${shownText(meant)}?`,
  };
}

/** Reviews are created only, and metrics cannot be watched. */
function notOffered(name: string, lacking: readonly string[]): Outcome {
  return {
    status: 'failed',
    code: 'METHOD_NOT_ALLOWED',
    detail: shownText(`${name} offers no ${lacking.join(' and no ')}, so no informer can read it`),
    remedy: 'give another resource: kubectl api-resources --verbs=list,watch',
  };
}

function serviceOf(apiVersion: string): string {
  const [group, version] = apiVersion.split('/', 2);
  return shownText(`${version ?? ''}.${group ?? ''}`);
}

function records(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
