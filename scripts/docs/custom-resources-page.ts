import { readFileSync } from 'node:fs';
import { defineKind } from '../../src/definitions/define-kind.ts';
import { definedKinds } from '../../src/definitions/defined-kinds.ts';
import type { StructuralSchema } from '../../src/definitions/structural-schema.ts';
import { code, table } from './markdown.ts';

const introduction = `# Custom resources

Written by \`make docs\` from \`src/definitions/\` and \`fixtures/server-checks.json\`. The kinds of the mesh on a Kubernetes API
server: what they are called there, what \`kubectl get\` prints, and what the server checks before an object is stored.

## Installing

\`\`\`sh
meshd crds | kubectl apply -f -
\`\`\`

[meshd crds](meshd-crds.md) prints the CustomResourceDefinitions, also for an update. They need Kubernetes 1.29 or newer. Every kind
is served as \`v1\`, \`v1beta1\` and \`v1alpha3\`: three names for the same fields. Objects are stored as \`v1\`, and any version of an
object can be read, whichever it was written as. Definitions of Istio's groups may be in the same cluster: \`meshd\` reads the objects
of both ([Coming from Istio](../guides/from-istio.md)), and a short name such as \`vs\` then stands for the group that comes first in
the alphabet.

## Names and columns

\`kubectl get mesh -A\` lists the objects of all kinds, \`mesh-security\` and \`mesh-networking\` those of one group.
`;

const afterColumns = `
After those columns come, for every kind:

| column | meaning |
|---|---|
| Accepted | \`True\`: the object as it is now is valid; \`False\`: its last valid version is in force, if there is one |
| Distributed | \`True\`: every proxy that it is for has it |
| (Reason) | why it is accepted or not, in a word |
| (Proxies) | how many proxies have it, of those that it is for, and which version |
| Age | time since the object was created |

Columns in parentheses are printed by \`kubectl get -o wide\`. Lists and labels are printed as JSON. The state is
empty while no control plane writes it (\`PILOT_ENABLE_STATUS\`).

## What the server checks

- types, required fields, allowed values, bounds, and the form of texts such as hosts and durations. Such an error names the field
- fields that this project knows and does not support. The error says what to write instead
- fields that nobody defined, if the writer asks for it: \`kubectl apply\` does unless it is told \`--validate=false\`, and server-side
  apply always does. For others the server **drops the field** and sends a warning; with \`meshd crds --keep-unknown-fields\` it keeps
  it, and \`meshd\` refuses the object
- names that stand twice where each may stand once: subsets, ports of a ServiceEntry, entries of \`exportTo\`
- the rules below. They are written in CEL

Selectors belong to one owner in server-side apply: a second one gets a conflict, where two would select what neither of them meant.
`;

const beforeBounds = `
An API server computes beforehand what rules may cost, and therefore wants lists of limited length. Longer ones compile, but cannot be
stored:
`;

const beforeLeft = `
## What is left to meshd

An object that is stored may still be invalid: rules that compare objects with each other, and those that a server cannot say. \`meshd\`
checks everything, and holds the last valid version of an invalid object; \`meshpol lint\` finds the same before anything is applied. Of
an object by itself a server does not find these errors, or not always:
`;

/** Names, columns and checks of every kind that has a definition. */
export function customResourcesPage(): string {
  const schemas = definedKinds.map((defined) => ({ defined, rules: rulesOf(specOf(defined)) }));
  const names = definedKinds.map(({ kind, group, plural, shortNames, columns }) => [
    kind,
    code(`${plural}.${group}`),
    shortNames.map(code).join(', ') || '–',
    columns.map(({ name, priority }) => (priority === undefined ? name : `(${name})`)).join(', '),
  ]);
  const rules = schemas.flatMap(({ defined, rules }) =>
    rules.map(({ place, message }) => [defined.kind, code(place), message]),
  );
  const bounds = definedKinds.flatMap((defined) =>
    boundsOf(specOf(defined)).map(({ place, most }) => [defined.kind, code(place), most]),
  );
  return [
    introduction,
    table(['kind', 'name of the definition', 'short name', 'columns'], names),
    afterColumns,
    table(['kind', 'place', 'error'], rules),
    beforeBounds,
    table(['kind', 'list', 'at most'], bounds),
    beforeLeft,
    `${leftCodes()
      .map((name) => `[${name}](diagnostics.md#${name})`)
      .join(', ')}.\n`,
  ].join('\n');
}

function specOf(defined: (typeof definedKinds)[number]): StructuralSchema {
  return defineKind(defined).spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
}

/** Rules beside those about fields that are not supported, each where it stands first. */
function rulesOf(spec: StructuralSchema): { readonly place: string; readonly message: string }[] {
  const seen = new Set<string>();
  return placesOf(spec, 'spec').flatMap(([path, schema]) =>
    (schema['x-kubernetes-validations'] ?? []).flatMap(({ message, fieldPath = '' }) => {
      const key = `${path.split('.').at(-1)} ${message}`;
      if (message.startsWith('not supported') || seen.has(key)) return [];
      seen.add(key);
      return [{ place: `${path}${fieldPath}`, message }];
    }),
  );
}

function boundsOf(spec: StructuralSchema): { readonly place: string; readonly most: string }[] {
  return placesOf(spec, 'spec').flatMap(([place, schema]) => {
    const most = Number(schema.maxItems ?? schema.maxProperties ?? 1);
    return most > 16 ? [{ place, most: most.toLocaleString('en') }] : [];
  });
}

/** Every part of a schema with its path. */
function placesOf(schema: StructuralSchema, path: string): (readonly [string, StructuralSchema])[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, part]) => placesOf(part, `${path}.${name}`)),
    ...(items === undefined ? [] : placesOf(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : placesOf(additionalProperties, `${path}.<key>`)),
  ];
}

function leftCodes(): readonly string[] {
  const { left } = JSON.parse(readFileSync('fixtures/server-checks.json', 'utf8')) as {
    readonly left: Readonly<Record<string, readonly string[]>>;
  };
  return [...new Set(Object.values(left).flat())].sort();
}
