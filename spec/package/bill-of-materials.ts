import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED } from './bundled-packages.ts';
import { ROOT } from './manifest.ts';
import { npm } from './packed-package.ts';

const SCRATCH = join(ROOT, '.tmp', 'bill');

interface Component {
  readonly name: string;
  readonly 'bom-ref': string;
  readonly externalReferences: readonly { readonly type: string; readonly url: string }[];
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

/** The part of a document of CycloneDX that is read and written here. */
export interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/**
 * The bill of materials of a tarball, as CycloneDX: what its install brings, without optional peers, and the packages whose code it has in
 * its bundle. It is that of an empty project with the tarball in it, as `npm sbom` leaves out packages that are for developers too.
 */
export async function billOfMaterials(tarball: string): Promise<string> {
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(SCRATCH, { recursive: true });
  writeFileSync(
    join(SCRATCH, 'package.json'),
    '{ "name": "project", "version": "0.0.0", "private": true }',
  );
  await npm(
    ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', tarball],
    SCRATCH,
  );
  const bill = billOf(await sbom(SCRATCH), await sbom(ROOT));
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** The bill of the package, from that of a project with nothing else, and that of its checkout. */
export function billOf(project: Bill, checkout: Bill): Bill {
  const self = project.components.find(({ name }) => name === 'listwatch');
  if (self === undefined) throw new Error('the bill of materials of npm does not have the package');
  const root = project.metadata.component['bom-ref'];
  // It was installed from a file of this machine.
  const externalReferences = self.externalReferences.filter(({ type }) => type !== 'distribution');
  // npm marks them as packages for developers.
  const bundled = checkout.components
    .filter(({ name }) => BUNDLED[name] !== undefined)
    .map((component) => ({ ...component, properties: [] }));
  const refs = bundled.map((component) => component['bom-ref']);
  return {
    ...project,
    metadata: { ...project.metadata, component: { ...self, externalReferences } },
    components: [...project.components.filter((component) => component !== self), ...bundled],
    dependencies: [
      ...project.dependencies
        .filter(({ ref }) => ref !== root)
        .map((one) =>
          one.ref === self['bom-ref']
            ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...refs] }
            : one,
        ),
      ...refs.map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

async function sbom(folder: string): Promise<Bill> {
  return JSON.parse((await npm(['sbom', '--sbom-format=cyclonedx'], folder)).stdout) as Bill;
}
