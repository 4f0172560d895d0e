import { BUNDLED } from './bundled-packages.ts';
import { ROOT } from './manifest.ts';
import { npm } from './packed-package.ts';

/** The part of a document of CycloneDX that is read and written here. */
interface Bill {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly { readonly name: string; readonly 'bom-ref': string }[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

/**
 * The bill of materials of the package, as CycloneDX 1.5: what an install brings, without optional peers, and what the tarball has of
 * other packages, which are dependencies of developers to npm.
 */
export async function billOfMaterials(): Promise<string> {
  const installed = await sbom(['--omit=dev', '--omit=optional', '--omit=peer']);
  const all = await sbom([]);
  const bundled = all.components.filter(({ name }) => BUNDLED[name] !== undefined);
  const refs = bundled.map((component) => component['bom-ref']);
  const self = installed.metadata.component['bom-ref'];
  const bill: Bill = {
    ...installed,
    components: [...installed.components, ...bundled],
    dependencies: [
      ...installed.dependencies.map((one) =>
        one.ref === self ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...refs] } : one,
      ),
      ...refs.map((ref) => ({ ref })),
    ],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

async function sbom(options: readonly string[]): Promise<Bill> {
  const parameters = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=library', ...options];
  return JSON.parse((await npm(parameters, ROOT)).stdout) as Bill;
}
