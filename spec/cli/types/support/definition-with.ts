/** A definition of one version, whose `spec` has this schema. */
export function definitionWith(specSchema: string, plural: string = 'things'): string {
  const schema = `{ type: object, properties: { spec: ${specSchema} } }`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  names: { kind: Thing, plural: ${plural} }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: ${schema} } }]
`;
}
