/** Manifests that several scenarios read. */
export const MAPS = `apiVersion: v1
kind: ConfigMap
metadata:
  name: blue
  labels: { app: demo, tier: front }
data:
  color: blue
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: green
  labels: { app: demo }
data:
  color: green
  more: "1"
`;

export const MAP = `apiVersion: v1
kind: ConfigMap
metadata:
  name: blue
data:
  color: blue
`;

export const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: { app: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        ports: [{ containerPort: 80 }]
`;

export const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: { app: web }
spec:
  containers:
  - name: web
    image: registry.example/web:1
    env: [{ name: COLOR, value: blue }]
    resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { memory: 128Mi } }
`;

export const SERVICE = `apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: 8080 }]
`;

/** A definition whose group is the namespace, so that scenarios do not meet. */
export const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.{ns}.example.com
spec:
  group: "{ns}.example.com"
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: ["{ns}w"], categories: ["{ns}all"] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
    additionalPrinterColumns:
    - { name: Size, type: integer, jsonPath: .spec.size, description: How large it is }
    - { name: Color, type: string, jsonPath: .spec.color, priority: 1 }
    schema:
      openAPIV3Schema:
        type: object
        description: A thing of many uses.
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [size]
            properties:
              size: { type: integer, minimum: 1, description: The number of parts. }
              color: { type: string, enum: [red, green], default: red }
          status: { type: object, properties: { size: { type: integer } } }
`;

export const WIDGET = `apiVersion: "{ns}.example.com/v1"
kind: Widget
metadata:
  name: one
spec:
  size: 3
`;
