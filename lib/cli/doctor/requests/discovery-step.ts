import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { isApiError } from '../../../meta/failure/failures.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import { ApiSurface } from '../../../client/rest/discovery/api-surface.ts';
import { nearestNames } from '../../../client/rest/discovery/unknown-resource.ts';
import {
  readGroups,
  readResources,
  type ServedGroup,
} from '../../../client/rest/explain/read-discovery.ts';
import { countOf, shownText } from '../../terminal/shown-text.ts';
import type { Findings } from '../contract/findings.ts';
import type { RequestProbe } from '../contract/request-probe.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { spelledOut } from './collection-path.ts';

/** The verbs that an informer uses. */
const NEEDED = ['list', 'watch'];

/** The most requests at a time. */
const AT_A_TIME = 8;

/** The most failed API versions that are named. */
const SHOWN_FAILURES = 3;

const NO_LIST = 'the answer is no list of resources';

interface Discovered {
  readonly groups: number;
  readonly surface: ApiSurface;
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
    const { groups, surface, failures } = discovered;
    // The versions of a resource are one resource.
    const count = new Set(surface.resources.map(({ fullName }) => fullName)).size;
    const data = { groups, resources: count, failures };
    for (const name of options.resources) {
      const found = surface.named(name);
      if (found === undefined) return { ...unknown(name, discovered), data };
      const { verbs } = found;
      const lacking = NEEDED.filter((verb) => !verbs.includes(verb));
      if (lacking.length > 0) return { ...notOffered(found.fullName, lacking), data };
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
  const core = readGroups(await requests.json({ path: '/api', signal })) ?? [];
  const named = readGroups(await requests.json({ path: '/apis', signal })) ?? [];
  const groups = [...core, ...named];
  const failures: { apiVersion: string; problem: string }[] = [];
  const read = new Map<string, ReturnType<typeof readResources>>();
  const left = groups
    .flatMap(({ name: group, versions }) => versions.map(({ version }) => ({ group, version })))
    .values();
  const worker = async (): Promise<void> => {
    for (const one of left) {
      const apiVersion = apiVersionOf(one);
      const path = `/${one.group === '' ? 'api' : 'apis'}/${apiVersion}`;
      try {
        const resources = readResources(await requests.json({ path, signal }));
        read.set(apiVersion, resources);
        if (resources === undefined) failures.push({ apiVersion, problem: NO_LIST });
      } catch (error) {
        if (!isApiError(error)) throw error;
        failures.push({ apiVersion, problem: shownText(error.problem, 120) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const served = groups.map(
    ({ name: group, versions }): ServedGroup => ({
      name: group,
      versions: versions.map(({ version }) => {
        return { version, resources: read.get(apiVersionOf({ group, version })) };
      }),
    }),
  );
  return { groups: groups.length, surface: new ApiSurface(served), failures };
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

function unknown(name: string, { surface, failures }: Discovered): Outcome {
  const meant = nearestNames(name, surface).map((one) => `--resource ${shownText(one)}`);
  const missing = failures.find(({ apiVersion }) => name.endsWith(`.${apiVersion.split('/')[0]}`));
  const installed =
    'install its CustomResourceDefinition, or give another name: kubectl api-resources';
  return {
    status: 'failed',
    code: 'RESOURCE_UNKNOWN',
    detail: shownText(
      `the server serves no resource ${name}${missing === undefined ? '' : `; ${missing.apiVersion} does not answer: ${missing.problem}`}`,
    ),
    remedy: meant.length === 0 ? installed : `did you mean ${meant.join(' or ')}?`,
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
