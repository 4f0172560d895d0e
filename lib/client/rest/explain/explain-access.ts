import { describeCall, quotedName, type ApiCall } from '../../../meta/api-call.ts';
import { missingRule, parseRefusal, type AccessRefusal } from '../../../meta/missing-rule.ts';
import type { Explanation } from './explanation.ts';
import type { RefusedAnswer } from './refused-answer.ts';

const ANONYMOUS = 'system:anonymous';

const NO_CREDENTIAL = 'give a token or a client certificate, or use a kubeconfig that has one';
const WRONG_CREDENTIAL = 'renew it: it has expired, or is for another cluster';

/** HTTP 401: the credential that was sent, and where it came from. */
export function explainUnauthorized({ words, credential }: RefusedAnswer): Explanation {
  const said = words === '' || words === 'Unauthorized' ? '' : `: ${words}`;
  if (credential === undefined) {
    return {
      problem: `no credential was sent, and the server requires one${said}`,
      remedy: NO_CREDENTIAL,
    };
  }
  return {
    problem: `the server does not accept ${credential}${said}`,
    remedy: WRONG_CREDENTIAL,
  };
}

/** HTTP 403: the user that the server sees, and the rule that it lacks; or the admission rule that refused the object. */
export function explainForbidden(answer: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const { words, status, credential } = answer;
  const refusal = parseRefusal(status.message ?? '');
  if (refusal === undefined) return explainAdmission(words, call);
  const { user = '' } = refusal;
  if (user === ANONYMOUS) {
    return credential === undefined
      ? {
          problem: `no credential was sent, and the server does not let ${ANONYMOUS} do this`,
          remedy: NO_CREDENTIAL,
        }
      : {
          problem: `the server takes the request as ${ANONYMOUS}: it does not accept ${credential}`,
          remedy: WRONG_CREDENTIAL,
        };
  }
  const addition = refusal.addition === undefined ? '' : ` (${refusal.addition})`;
  const what = refused(refusal);
  return {
    problem: `user ${quotedName(user)} may not ${what}${addition}`,
    remedy: missingRule(refusal, verbsOf(refusal, call), call?.verb === 'create' ? '' : call?.name),
  };
}

/** The words of the server: its verb may be another than that of the call, e.g. for a request with a precondition. */
function refused({ verb = '', resource, path }: AccessRefusal): string {
  return path === undefined
    ? describeCall({ verb: verb as ApiCall['verb'], resource })
    : `${verb} ${path}`;
}

function verbsOf({ verb = '' }: AccessRefusal, call: ApiCall | undefined): ApiCall['verb'][] {
  const needs = call?.needs ?? [];
  const one = verb as ApiCall['verb'];
  return needs.includes(one) ? [...needs] : [one];
}

const ADMISSION: readonly (readonly [RegExp, string])[] = [
  [/exceeded quota/, 'delete objects of the namespace, or raise the ResourceQuota'],
  [
    /violates PodSecurity/,
    'correct the pod, or the pod-security.kubernetes.io/enforce label of the namespace',
  ],
  [/because it is being terminated/, 'wait until the namespace is gone and create it again'],
  [/may not be deleted/, 'leave the object: the server protects it'],
];

const READS: ReadonlySet<string | undefined> = new Set(['get', 'list', 'watch']);

/** Other words than those of the authorizer: an admission rule, which does not exist for reads, or another authorizer. */
function explainAdmission(words: string, call: ApiCall | undefined): Explanation {
  const problem = words === '' ? 'the server forbids it' : words;
  if (call?.resource !== undefined && READS.has(call.verb)) {
    const { group, resource, namespace } = call;
    const lack = { group, resource, namespace, clusterScope: false };
    return { problem, remedy: missingRule(lack, call.needs ?? [call.verb]) };
  }
  const remedy = ADMISSION.find(([pattern]) => pattern.test(words))?.[1];
  return {
    problem,
    remedy: remedy ?? 'an admission rule refuses it: correct the object, or ask for an exception',
  };
}
