const SCHEME = /^[A-Za-z][-+.A-Za-z0-9]*:/;
const CONTROL = /\p{Cc}/u;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const USER = /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/;
/** Go allows these and all that is not ASCII in a host. */
const HOST = /^(?:[-A-Za-z0-9._~!$&'()*+,;=:"<>[\]]|%[0-9A-Fa-f]{2}|[\u0080-\uffff])*$/;
const PORT = /^:\d*$/;

/** Whether Go's url package reads a text as the URI of a request: with a scheme, or a path that begins with a slash. */
export function isRequestUri(text: string): boolean {
  if (CONTROL.test(text)) return false;
  if (text === '*') return true;
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined && text.startsWith(':')) return false;
  const [rest = ''] = text.slice(scheme?.length ?? 0).split('?');
  if (!rest.startsWith('/')) return scheme !== undefined;
  const hasAuthority = rest.startsWith('//') && (scheme !== undefined || !rest.startsWith('///'));
  if (!hasAuthority || scheme === undefined) return !BAD_ESCAPE.test(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  return isAuthority(authority) && !BAD_ESCAPE.test(path);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && (!USER.test(authority.slice(0, at)) || BAD_ESCAPE.test(authority.slice(0, at)))) {
    return false;
  }
  const host = authority.slice(at + 1);
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    return end > 0 && (end === host.length - 1 || PORT.test(host.slice(end + 1)));
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !PORT.test(host.slice(colon))) return false;
  return HOST.test(host) && !host.includes(' ');
}
