import { shownText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import type { Answer, RequestProbe } from '../contract/request-probe.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';

const PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const BODY = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

/** Asks the server who the user is. */
export const authenticationStep: Step = {
  id: 'authentication',
  title: 'who am I',
  needs: ['version'],
  async run(context: DoctorContext): Promise<Outcome> {
    const { findings, signal } = context;
    const requests = findings.opened;
    const review = await requests.answer({ method: 'POST', path: PATH, body: BODY, signal });
    switch (review.status) {
      case 401:
        return rejected(context, review);
      case 403:
        return accepted(context, userIn(review));
      case 404:
      case 405:
        return await withoutReview(context, requests);
      default:
        if (review.error !== undefined) return failedOutcome(review.error);
        return outcomeOf(context, review);
    }
  },
};

/** Servers before 1.28 have no SelfSubjectReview. The group list is for every user that is authenticated. */
async function withoutReview(context: DoctorContext, requests: RequestProbe): Promise<Outcome> {
  const answer = await requests.answer({ path: '/api', signal: context.signal });
  if (answer.status === 401) return rejected(context, answer);
  return accepted(context, userIn(answer));
}

function outcomeOf({ findings }: DoctorContext, { json }: Answer): Outcome {
  const status = (json['status'] ?? {}) as { userInfo?: Readonly<Record<string, unknown>> };
  const { username, groups } = status.userInfo ?? {};
  if (typeof username !== 'string') {
    return { status: 'ok', detail: 'accepted; the server does not name the user' };
  }
  findings.user = username;
  const names = Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : [];
  const of = names.length === 0 ? '' : `, groups ${names.join(', ')}`;
  const data = { username, groups: names };
  if (username === 'system:anonymous') {
    return {
      status: 'warning',
      detail: 'system:anonymous: the request was not authenticated',
      remedy: 'add a user with credentials to the context of the kubeconfig',
      data,
    };
  }
  return { status: 'ok', detail: shownText(`${username}${of}`), data };
}

function accepted({ findings }: DoctorContext, user: string | undefined): Outcome {
  findings.user = user;
  const who = user === undefined ? 'the server does not name the user' : shownText(user);
  return { status: 'ok', detail: `accepted; ${who}`, data: { username: user } };
}

function rejected({ findings }: DoctorContext, { error }: Answer): Outcome {
  const credential = findings.credential;
  const detail =
    credential === undefined
      ? 'the server wants credentials, and the configuration has none (HTTP 401)'
      : `the server does not accept the credentials from ${credential.source} (HTTP 401)`;
  const remedy =
    credential === undefined
      ? 'add a user with credentials to the context of the kubeconfig'
      : 'log in again, or replace the credentials of this user: they are wrong, expired, or of another cluster';
  return { status: 'failed', code: error?.code, detail: shownText(detail), remedy };
}

/** The user that a refusal names. */
function userIn({ error }: Answer): string | undefined {
  return /User "((?:[^"\\]|\\.)+)"/.exec(error?.status.message ?? '')?.[1];
}
