import { parseManifests } from '../../meta/manifests/parse-manifests.ts';
import { definitionOf } from '../types/definition.ts';
import { definitionTypes } from '../types/definition-types.ts';
import { definitionYaml, deploymentYaml, exampleYaml, rightsYaml } from './manifest-templates.ts';
import { mainTs, operatorTestTs, operatorTs, worldTs } from './program-templates.ts';
import type { ProjectNames } from './project-names.ts';
import {
  dockerfile,
  dockerignore,
  gitignore,
  packageJson,
  readmeMd,
  tsconfigBuildJson,
  tsconfigJson,
  workflowYaml,
} from './tool-templates.ts';

/** The files of a project by their paths in it. @param listwatch What npm installs as listwatch. */
export async function projectFiles(
  names: ProjectNames,
  listwatch: string,
): Promise<ReadonlyMap<string, string>> {
  const definition = 'manifests/10-definition.yaml';
  const manifests = await parseManifests(definitionYaml(names), definition);
  return new Map([
    ['.dockerignore', dockerignore()],
    ['.github/workflows/ci.yaml', workflowYaml(names)],
    ['.gitignore', gitignore()],
    ['Dockerfile', dockerfile()],
    ['README.md', readmeMd(names)],
    [`example/${names.singular}.yaml`, exampleYaml(names)],
    [definition, definitionYaml(names)],
    ['manifests/20-rights.yaml', rightsYaml(names)],
    ['manifests/30-deployment.yaml', deploymentYaml(names)],
    ['package.json', packageJson(names, listwatch)],
    ['src/main.ts', mainTs(names)],
    ['src/operator.ts', operatorTs(names)],
    ['src/types.ts', definitionTypes(manifests.map(definitionOf))],
    ['test/operator.test.ts', operatorTestTs(names)],
    ['test/world.ts', worldTs(names)],
    ['tsconfig.build.json', tsconfigBuildJson()],
    ['tsconfig.json', tsconfigJson()],
  ]);
}
