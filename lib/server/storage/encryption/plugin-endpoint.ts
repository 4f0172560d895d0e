/**
 * The path of a socket as gRPC for Node takes it; undefined for an endpoint that is none.
 * @see kms pkg/util/util.go ParseEndpoint
 */
export function socketPathOf(endpoint: string): string | undefined {
  if (!/^unix:/i.test(endpoint) || !URL.canParse(endpoint)) return undefined;
  const path = decoded(new URL(endpoint).pathname);
  if (path === undefined || !path.startsWith('/') || path === '/') return undefined;
  // A name in Linux's abstract namespace, in Node's form.
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
