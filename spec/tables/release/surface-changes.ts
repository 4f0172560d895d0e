import { BOOTSTRAP_POLICY } from '../../../lib/kinds/bootstrap/bootstrap-policy-text.ts';
import { COLUMN_TEXT } from '../../../lib/kinds/columns/column-text.ts';
import type { KubernetesMinor } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { RESOURCE_TEXT } from '../../../lib/meta/surface/resource-text.ts';
import { openApiArchive } from '../../../lib/server/api/openapi/open-api-archive.ts';
import type { Target } from '../../compare/target/target.ts';
import { recordOpenApi } from '../record-open-api.ts';
import { recordPolicy } from '../record-policy.ts';
import { recordSurface } from '../record-resources.ts';
import { linesOfMinor } from '../recorded-minor.ts';
import { columnLines, resourceTextLines, withoutShared } from '../write-resources.ts';
import type { ReportPart } from './main.ts';

const WRITE = '`npm run generate -- tables-server` writes them.';

/** The resources, columns, roles and documents that a server of the release has otherwise. */
export async function surfaceChanges(target: Target, from: KubernetesMinor): Promise<ReportPart[]> {
  const surface = await recordSurface(target);
  const policy = await recordPolicy(target);
  const before = Object.values(BOOTSTRAP_POLICY).flatMap((text) => linesOfMinor(text, from));
  const { documents } = await recordOpenApi(target);
  const archive = await openApiArchive(from);
  const known = (name: string): boolean =>
    archive.has(name) && archive.bytes(name).equals(documents.get(name) as Buffer);
  return [
    {
      title: `resources of ${surface.serverVersion}`,
      remedy: `${WRITE} A new kind needs rules and cells in lib/kinds.`,
      lines: changed(linesOfMinor(RESOURCE_TEXT, from), resourceTextLines(surface)),
    },
    {
      title: 'columns of tables',
      remedy: `${WRITE} A new column needs a cell in lib/kinds/cells.`,
      lines: changed(linesOfMinor(withoutShared(COLUMN_TEXT), from), columnLines(surface)),
    },
    {
      title: 'roles and bindings',
      remedy: WRITE,
      lines: changed(before, Object.values(policy).flat()),
    },
    {
      title: 'OpenAPI documents',
      remedy: WRITE,
      lines: [...documents.keys()].filter((name) => !known(name)),
    },
  ];
}

/** Lines that only one of the two has. */
function changed(before: readonly string[], now: readonly string[]): string[] {
  const [old, all] = [new Set(before), new Set(now)];
  return [
    ...before.filter((line) => !all.has(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !old.has(line)).map((line) => `+ ${line.trim()}`),
  ];
}
