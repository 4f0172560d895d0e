import type { ProjectNames } from './project-names.ts';

export function definitionYaml({ group, kind, plural, singular }: ProjectNames): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: ${plural}, singular: ${singular}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
        - { name: Page, type: string, jsonPath: .status.page }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [greeting]
              properties:
                greeting: { type: string, minLength: 1, description: What visitors read. }
            status:
              type: object
              properties:
                page: { type: string, description: The name of the ConfigMap. }
                conditions:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [type]
                  items:
                    type: object
                    required: [type, status]
                    properties:
                      type: { type: string }
                      status: { type: string, enum: ['True', 'False', Unknown] }
                      reason: { type: string }
                      message: { type: string }
                      lastTransitionTime: { type: string, format: date-time }
                      observedGeneration: { type: integer }
`;
}

export function rightsYaml({ project, group, plural }: ProjectNames): string {
  return `# Just what src/operator.ts needs; the tests run with these rights. npm run rights shows what a run has needed.
apiVersion: v1
kind: Namespace
metadata: { name: ${project} }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${project}, namespace: ${project} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: ${project} }
rules:
  - apiGroups: ['']
    resources: [configmaps]
    verbs: [list, watch, create, patch]
  - apiGroups: [${group}]
    resources: [${plural}]
    # get: a status that has changed meanwhile is read again.
    verbs: [get, list, watch]
  - apiGroups: [${group}]
    resources: [${plural}/status]
    verbs: [patch]
  # Clusters that enforce it, such as OpenShift, ask for this too:
  # - apiGroups: [${group}]
  #   resources: [${plural}/finalizers]
  #   verbs: [update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${project} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${project} }
subjects: [{ kind: ServiceAccount, name: ${project}, namespace: ${project} }]
`;
}

export function deploymentYaml({ project }: ProjectNames): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${project}, namespace: ${project} }
spec:
  replicas: 1
  # Never two at a time: the old one ends before the new one starts.
  strategy: { type: Recreate }
  selector: { matchLabels: { app: ${project} } }
  template:
    metadata: { labels: { app: ${project} } }
    spec:
      serviceAccountName: ${project}
      terminationGracePeriodSeconds: 30
      containers:
        - name: operator
          image: ${project}:latest
          imagePullPolicy: IfNotPresent
          ports: [{ name: http, containerPort: 8080 }]
          livenessProbe: { httpGet: { path: /healthz, port: http } }
          readinessProbe: { httpGet: { path: /readyz, port: http } }
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 512Mi }
          securityContext:
            runAsNonRoot: true
            readOnlyRootFilesystem: true
            allowPrivilegeEscalation: false
            capabilities: { drop: [ALL] }
            seccompProfile: { type: RuntimeDefault }
`;
}

export function exampleYaml({ group, kind }: ProjectNames): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata: { name: hello, namespace: default }
spec: { greeting: good morning }
`;
}
