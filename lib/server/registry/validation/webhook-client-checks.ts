import { textAt, valueAt } from '../../../meta/json-value.ts';
import type { Check } from './check.ts';
import { isEmpty } from './combine.ts';
import { dnsSubdomain } from './formats.ts';

const FORM = '; desired format: https://host[/path]';
const MOST_PORT = 65_535;
const URL_PARTS =
  /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#@]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The first wrong percent-encoding of a path. */
const WRONG_ESCAPE =
  /^[A-Za-z][A-Za-z\d+.-]*:\/\/[^/?#]*\/(?:[^?#%]|%[\dA-Fa-f]{2})*(%(?![\dA-Fa-f]{2})[^?#]{0,2})/;

/** Why Go cannot parse a URL. */
function parseProblem(url: string): string | undefined {
  if (CONTROL.test(url)) return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  const [, escape] = WRONG_ESCAPE.exec(url) ?? [];
  return escape === undefined ? undefined : `invalid URL escape ${JSON.stringify(escape)}`;
}

/** The URL of a webhook. @see apiserver pkg/util/webhook/validation.go @ v0.36.3 */
export const webhookUrl: Check = (url, path, report) => {
  if (typeof url !== 'string') return;
  const problem = parseProblem(url);
  if (problem !== undefined) {
    const detail = `url must be a valid URL: parse ${JSON.stringify(url.replace(/#.*/s, ''))}: ${problem}${FORM}`;
    return report.required(path, detail);
  }
  const [, scheme = '', user, host = '', query = '', fragment = ''] = URL_PARTS.exec(url) ?? [];
  const wrong = (value: string, detail: string): void => report.invalid(path, value, detail);
  const lower = scheme.toLowerCase();
  if (lower !== 'https') wrong(lower, `'https' is the only allowed URL scheme${FORM}`);
  if (host === '') wrong(host, `host must be specified${FORM}`);
  if (user !== undefined) wrong(user, 'user information is not permitted in the URL');
  if (fragment !== '') wrong(fragment, 'fragments are not permitted in the URL');
  if (query !== '') wrong(query, 'query parameters are not permitted in the URL');
};

const servicePath: Check = (value, path, report) => {
  if (typeof value !== 'string' || value === '' || value === '/') return;
  const wrong = (detail: string): void => report.invalid(path, value, detail);
  if (value === '//') return wrong('segment[0] may not be empty');
  if (!value.startsWith('/')) wrong("must start with a '/'");
  const steps = value.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') wrong(`segment[${index}] may not be empty`);
    else for (const problem of dnsSubdomain(step)) wrong(`segment[${index}]: ${problem}`);
  }
};

/** The service behind a webhook. Name and namespace are reported for each other when they are missing, as by kube-apiserver. */
export const webhookService: Check = (service, path, report) => {
  if (isEmpty(valueAt(service, 'namespace'))) report.required(`${path}.name`);
  if (isEmpty(valueAt(service, 'name'))) report.required(`${path}.namespace`);
  const port = valueAt(service, 'port');
  if (typeof port === 'number' && (port < 1 || port > MOST_PORT)) {
    const detail = `port is not valid: must be between 1 and ${MOST_PORT}, inclusive`;
    report.invalid(`${path}.port`, port, detail);
  }
  servicePath(textAt(service, 'path'), `${path}.path`, report);
};
