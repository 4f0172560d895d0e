/** The place of a proxy, for the links of its answers. */
export interface ProxyLinks {
  /** The path of the proxy. */
  readonly prefix: string;
  /** The names under which clients know the target: others are left alone. */
  readonly hosts: readonly string[];
}

/** A longer page is passed on as it is. */
const LONGEST_PAGE_BYTES = 4 * 2 ** 20;
const TAG = /<[a-z][a-z0-9]*\s[^<>]*>/gi;
const LINK =
  /(\s(?:href|src|action|formaction|cite|codebase|background|data|longdesc|poster|usemap|classid)=)(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi;

/** A link of an answer, so that it leads through the proxy: an absolute path gets its prefix. */
export function proxiedLocation(link: string, { prefix, hosts }: ProxyLinks): string {
  const [, host, path = ''] =
    /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))?(\/.*)?$/i.exec(link) ?? [];
  if (path === '' || (host !== undefined && !hosts.includes(host))) return link;
  return path.startsWith(prefix) ? path : `${prefix}${path}`;
}

/** A page with its links changed so. Memory: the page, up to 4 MiB. */
export async function* withProxiedLinks(
  body: AsyncIterable<Uint8Array>,
  links: ProxyLinks,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] | undefined = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    held?.push(chunk);
    if (held === undefined) yield chunk;
    else if (size > LONGEST_PAGE_BYTES) {
      yield* held;
      held = undefined;
    }
  }
  if (held === undefined) return;
  const page = Buffer.concat(held).toString();
  yield Buffer.from(
    page.replaceAll(TAG, (tag) =>
      tag.replaceAll(LINK, (_all, ...parts) => {
        const [name = '', ...values] = parts
          .slice(0, 4)
          .map((one: unknown) => one as string | undefined);
        return `${name}"${proxiedLocation(values.find((one) => one !== undefined) ?? '', links)}"`;
      }),
    ),
  );
}
