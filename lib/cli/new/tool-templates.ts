import type { ProjectNames } from './project-names.ts';

/** The versions with which the project of this package is made. */
const TOOLS = { '@types/node': '^20.19.0', tsx: '^4.20.0', typescript: '^5.9.3' } as const;

/** @param listwatch What npm installs as listwatch: a range of versions, or a file. */
export function packageJson({ project }: ProjectNames, listwatch: string): string {
  return `${JSON.stringify(
    {
      name: project,
      version: '0.1.0',
      private: true,
      type: 'module',
      engines: { node: '>=20.19' },
      scripts: {
        start: 'node --import tsx src/main.ts',
        test: 'tsc && node --import tsx --test test/*.test.ts',
        build: 'tsc -p tsconfig.build.json',
        types: 'listwatch types manifests/10-definition.yaml --out src/types.ts',
        rights: 'listwatch rbac --manifests manifests --manifests example --for 20s -- npm start',
      },
      dependencies: { listwatch },
      devDependencies: TOOLS,
    },
    undefined,
    2,
  )}\n`;
}

export function tsconfigJson(): string {
  return `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "lib": ["es2023", "esnext.disposable"],
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true
  },
  "include": ["src", "test"]
}
`;
}

/** For the image: plain JavaScript, so that it needs no tools. */
export function tsconfigBuildJson(): string {
  return `{
  "extends": "./tsconfig.json",
  "compilerOptions": {
    "noEmit": false,
    "rootDir": "src",
    "outDir": "dist",
    "allowImportingTsExtensions": false,
    "rewriteRelativeImportExtensions": true
  },
  "include": ["src"]
}
`;
}

export function dockerfile(): string {
  return `FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The user node by its number: a kubelet cannot see from a name that it is not root.
USER 1000:1000
EXPOSE 8080
CMD ["node", "dist/main.js"]
`;
}

export function dockerignore(): string {
  return ['.git', '.github', 'dist', 'node_modules', 'test', ''].join('\n');
}

export function gitignore(): string {
  return ['dist', 'node_modules', ''].join('\n');
}

export function workflowYaml({ project }: ProjectNames): string {
  return `name: ci
on:
  push: { branches: [main] }
  pull_request:
permissions: { contents: read }
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: { node: [20, 22, 24, 26] }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: '\${{ matrix.node }}', cache: npm }
      - run: npm ci
      - run: npm test
      # The generated types are those of the definition.
      - run: npm run types -- --check
  image:
    runs-on: ubuntu-latest
    needs: test
    steps:
      - uses: actions/checkout@v4
      - run: docker build --tag ${project} .
`;
}

export function readmeMd({ project, group, kind, plural, singular }: ProjectNames): string {
  return `# ${project}

An operator: for each ${kind} of ${group}/v1 it keeps a ConfigMap with its page, and says in the status where the page is.

| file | what it is |
|---|---|
| \`manifests/10-definition.yaml\` | the CustomResourceDefinition; \`npm run types\` writes \`src/types.ts\` from it |
| \`src/operator.ts\` | what is done for a ${singular} |
| \`src/main.ts\` | the program: the operator, health and metrics on port 8080, until SIGTERM |
| \`test\` | tests against an API server in their process, with the rights of \`manifests/20-rights.yaml\` |
| \`manifests/20-rights.yaml\` | namespace, service account, and the rules that the operator needs |
| \`manifests/30-deployment.yaml\`, \`Dockerfile\` | how it runs in a cluster |
| \`.github/workflows/ci.yaml\` | the tests on each change, and the image |

## Work on it

\`\`\`sh
npm ci
npm test
npm run rights   # runs the operator for 20 seconds with example/, and prints the rules that it needed
\`\`\`

Without a cluster: \`npx listwatch serve --manifests manifests\` prints the kubectl command of a server, and writes a kubeconfig. Run the
operator with it: \`KUBECONFIG=FILE npm start\`.

## Run it in a cluster

\`\`\`sh
docker build --tag ${project} .
kubectl apply --filename manifests
kubectl apply --filename example
kubectl get ${plural}
\`\`\`

Push the image to a registry that the cluster reads, and name it in \`manifests/30-deployment.yaml\`.
`;
}
